"""docs/quickstart.md by a client that openapi-python-client has made (docs/clients.md)."""

import json
import os
import time
import urllib.request

from twinyard_client import AuthenticatedClient, Client
from twinyard_client.api.devices import create_device
from twinyard_client.api.file_versions import get_file_preview_url
from twinyard_client.api.files import upload_files
from twinyard_client.api.groups import create_group
from twinyard_client.api.named_items import create_items
from twinyard_client.api.oauth import issue_application_token, issue_token
from twinyard_client.api.permissions import check_permissions
from twinyard_client.api.related_items import create_related_items, list_related_items
from twinyard_client.api.relationships import list_relationships, save_relationships
from twinyard_client.api.search import search_items
from twinyard_client.api.senders import create_sender
from twinyard_client.api.subscriptions import create_subscription
from twinyard_client.api.telemetry import aggregate_readings, save_readings
from twinyard_client.api.templates import create_template
from twinyard_client.api.triggers import create_trigger
from twinyard_client.models import (
    AggregateStage, CreateRelatedItemsBodyItem, DeviceDto, GroupDto, NewNamedItemDto, NewRelationshipDto, PermissionQuestionDto, ReadingDto, SearchRequestType0, SenderDto,
    SubscriptionDto, TemplateDto, TokenRequestDto, TriggerDto, UploadFilesBody,
)
from twinyard_client.types import File

API, NAMESPACE = os.environ["API"], os.environ["NAMESPACE"]
NS = [NAMESPACE]


def done(response):
    """What was answered, or an end with the words of the service."""
    if response.status_code >= 300:
        raise SystemExit(f"{response.status_code} {response.content.decode()}")
    return response.parsed


token = done(issue_token.sync_detailed(client=Client(API), body=TokenRequestDto.from_dict({
    "grant_type": "client_credentials", "client_id": os.environ["CLIENT_ID"], "client_secret": os.environ["CLIENT_SECRET"],
})))
client = AuthenticatedClient(API, token.access_token)


def collection(name, item_class, **more):
    return NewNamedItemDto.from_dict({"_name": name, "_shortName": name.lower(), "_userType": name.lower(), "_itemClass": item_class, "_namespaces": NS, **more})


rooms, pumps, sensors = (item.field_id for item in done(create_items.sync_detailed(client=client, nsfilter=NS, body=[
    collection("Rooms", "NamedUserCollection"), collection("Pumps", "NamedUserCollection"),
    collection("Sensors", "NamedTelemetryCollection", _tsProperties={"_granularity": "minutes"}),
])).field_list_)


def make(item, *rows):
    body = [CreateRelatedItemsBodyItem.from_dict(row) for row in rows]
    return [row.field_id for row in done(create_related_items.sync_detailed(item, client=client, nsfilter=NS, body=body)).field_list_]


acme = {"name": "Acme"}
made = make(pumps, {"name": "Pump 1", "power": 1.1, "maker": acme}, {"name": "Pump 2", "power": 2.2, "maker": acme}, {"name": "Pump 3", "power": 7.5, "maker": {"name": "Best"}})
[cellar] = make(rooms, {"name": "Cellar"})
done(save_relationships.sync_detailed(rooms, client=client, nsfilter=NS, body=[
    NewRelationshipDto.from_dict({"_relatedFromId": cellar, "_relatedToIds": made[:2], "_relatedUserItemDbId": pumps}),
]))
relations = done(list_relationships.sync_detailed(rooms, client=client, nsfilter=NS)).field_total

strong = done(list_related_items.sync_detailed(
    pumps, client=client, nsfilter=NS, query=json.dumps({"maker.name": "Acme", "power": {"$gt": 2}}), project=json.dumps({"name": 1}),
)).field_list_
found = done(search_items.sync_detailed(client=client, nsfilter=NS, body=SearchRequestType0.from_dict({"query": {"$findWithRelated": {
    "parent": {"collectionDesc": {"_id": pumps}, "query": {"power": {"$lte": 2}}},
    "relatedFilter": {"$and": [{"relatedDesc": {"_relatedUserType": "rooms", "_isInverse": True}, "query": {"name": "Cellar"}}]},
}}})))
in_cellar = found.field_list_[0].field_versions[0].field_related_items["_list"]


def upload(name, content, by=client):
    return done(upload_files.sync_detailed(client=by, nsfilter=NS, field_namespaces=NS, body=UploadFilesBody(file=File(content, name))))[0].field_id


with open(os.environ["MODEL"], "rb") as model:
    model_id = upload("model.ifc", model)
# It is drawn in the background.
while (preview := get_file_preview_url.sync_detailed(model_id, client=client, nsfilter=NS)).status_code == 404:
    time.sleep(0.25)
picture = urllib.request.urlopen(done(preview).field_preview_url).read()[1:4].decode()

[sensor] = make(sensors, {"_sourceId": "t-1", "name": "Temperature"})
done(save_readings.sync_detailed(sensors, client=client, nsfilter=NS, body=[
    ReadingDto.from_dict({"_ts": stamp, "_tsMetadata": {"_telItemId": sensor, "_sourceId": "t-1"}, "celsius": celsius})
    for stamp, celsius in [("2026-01-10T08:00:00Z", 18.5), ("2026-01-20T08:00:00Z", 19.5), ("2026-02-10T08:00:00Z", 21)]
]))
means = done(aggregate_readings.sync_detailed(sensors, client=client, nsfilter=NS, body=[
    AggregateStage.from_dict({"$group": {"_id": {"$dateTrunc": {"date": "$_ts", "unit": "month"}}, "mean": {"$avg": "$celsius"}}}), AggregateStage.from_dict({"$sort": {"_id": 1}}),
])).field_list_

question = PermissionQuestionDto.from_dict({"_namespace": NAMESPACE, "_irn": "itemsvc:nameduseritem:*", "_action": "DELETE"})
may_delete = done(check_permissions.sync_detailed(client=client, body=[question]))

key = Client(API, httpx_args={"auth": tuple(os.environ["ACCESS_KEY"].split(":"))})
mine = AuthenticatedClient(API, done(issue_application_token.sync_detailed(client=key, app_id="console")).access_token)
record = {"_name": f"python {time.time_ns()}", "_namespaces": NS}


def notify(operation, dto, **more):
    return {"_id": str(done(operation.sync_detailed(client=mine, nsfilter=NS, body=dto.from_dict({**record, **more}))).field_id)}


group = notify(create_group, GroupDto)
device = notify(create_device, DeviceDto, _transport="WEBHOOK", _webhook={"_url": os.environ["HOOK"]})
sender = notify(create_sender, SenderDto, _transport="WEBHOOK", _webhook={})
template = notify(create_template, TemplateDto, _transport="WEBHOOK")
notify(create_subscription, SubscriptionDto, _group=group, _device=device)
notify(create_trigger, TriggerDto, _type="EVENT", _event={"_filters": {"filter": {"event": "resource.ResourceCreated", "resource.type": "filesvc.File"}}},
       _senders=[sender], _templates=[template], _groups=[group])
upload("python.txt", b"heard", mine)

print(json.dumps({
    "relations": relations, "strong": [row["name"] for row in strong], "inCellar": [row["name"] for row in in_cellar], "picture": picture,
    "means": [row.to_dict() for row in means], "mayDelete": [answer.field_allowed for answer in may_delete],
}))
