# As the official image: KAFKA_A_B in the environment is a.b in server.properties.
set -eu
properties=/opt/kafka/config/server.properties
env | grep '^KAFKA_' | grep -v '^KAFKA_HEAP_OPTS=' | while IFS='=' read -r name value; do
  echo "$(echo "${name#KAFKA_}" | tr 'A-Z_' 'a-z.')=$value"
done > "$properties"
read -ra heap <<< "${KAFKA_HEAP_OPTS:--Xmx512m}"
java=(/opt/jre/bin/java "${heap[@]}" -XX:+UseG1GC -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp '/opt/kafka/libs/*')
"${java[@]}" kafka.tools.StorageTool format --ignore-formatted --cluster-id dHdpbnlhcmQtZW5naW5lcw --config "$properties"
exec "${java[@]}" kafka.Kafka "$properties"
