"""Reads IFC files with IfcOpenShell: a path on each line of the input, a line of JSON for it in the output; null where it cannot read the file."""

import json
import sys

import ifcopenshell


def plain(value):
    """The value of a property as JSON has it; what is no text, number or truth value is left to others."""
    inner = value.wrappedValue if hasattr(value, "wrappedValue") else value
    if isinstance(inner, (str, bool, int)):
        return inner
    if isinstance(inner, float) and inner == inner and abs(inner) != float("inf"):
        return inner
    return None


def single_properties(product):
    """[set, name, value] of each IfcPropertySingleValue that an IfcPropertySet gives to the product."""
    for relation in product.IsDefinedBy:
        if not relation.is_a("IfcRelDefinesByProperties"):
            continue
        definition = relation.RelatingPropertyDefinition
        if definition is None or not definition.is_a("IfcPropertySet"):
            continue
        for member in definition.HasProperties or ():
            if member.is_a("IfcPropertySingleValue"):
                value = None if member.NominalValue is None else plain(member.NominalValue)
                yield [definition.Name, member.Name, value]


def model_of(path):
    model = ifcopenshell.open(path)
    products = {}
    for product in model.by_type("IfcProduct"):
        properties = list(single_properties(product)) if hasattr(product, "IsDefinedBy") else []
        products[product.GlobalId or ""] = {"ifcClass": product.is_a(), "name": product.Name, "properties": properties}
    return products


for line in sys.stdin:
    try:
        print(json.dumps(model_of(line.strip())), flush=True)
    except Exception:
        print("null", flush=True)
