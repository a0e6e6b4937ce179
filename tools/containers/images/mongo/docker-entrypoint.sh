#!/bin/bash
# The stand-in of deploy/engines. It has no users, so it looks at least whether the secrets are there that mongod would want, with mongod's rule for the key.
set -eu
file=
while [ $# -gt 0 ]; do
  if [ "$1" = --keyFile ]; then file=$2; fi
  shift
done
test -r "$MONGO_INITDB_ROOT_PASSWORD_FILE"
if [ ! -r "$file" ] || [ $(( 0$(stat -L -c %a "$file") & 077 )) -ne 0 ]; then
  echo "the key file $file cannot be read, or others can read it" >&2
  exit 1
fi
exec /opt/jre/bin/java -Xmx640m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp '/opt/stand-in:/opt/stand-in/*' MongoStandIn 0.0.0.0 27017 /data/db/data.mv
