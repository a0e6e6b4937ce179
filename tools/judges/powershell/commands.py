"""Of a PowerShell script on standard input: its commands with their parameters, and what its grammar does not take."""

import json
import sys

import tree_sitter_powershell
from tree_sitter import Language, Parser


def nodes(node):
    yield node
    for child in node.children:
        yield from nodes(child)


def text(node):
    return node.text.decode()


tree = Parser(Language(tree_sitter_powershell.language())).parse(sys.stdin.buffer.read())
every = list(nodes(tree.root_node))
print(json.dumps({
    "commands": [[text(part) for part in nodes(node) if part.type in ("command_name", "command_parameter")] for node in every if node.type == "command"],
    "faults": [text(node) or node.type for node in every if node.is_error or node.is_missing],
}))
