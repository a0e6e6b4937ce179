# Makes the database at its first start, whole or not at all; then runs the server with what it was told, as the official image does. The password is in a file, or in the environment.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  rm -rf "$PGDATA.new"
  mkdir -p "$(dirname "$PGDATA")"
  initdb --pgdata "$PGDATA.new" --username postgres --pwfile "${POSTGRES_PASSWORD_FILE:-/dev/fd/3}" --auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8 3<<< "${POSTGRES_PASSWORD:-}"
  echo 'host all all all scram-sha-256' >> "$PGDATA.new/pg_hba.conf"
  mv "$PGDATA.new" "$PGDATA"
fi
exec "$@" -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql
