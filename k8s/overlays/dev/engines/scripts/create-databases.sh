#!/bin/sh
# A role and a database of its own for each service whose password lies in SECRETS. May run again at every start, also of both at once.
set -eu
export PGPASSWORD="$(cat "$SECRETS/POSTGRES_PASSWORD")"

make_database() {
  psql --host postgres --username postgres --no-psqlrc --quiet --set ON_ERROR_STOP=1 --set service="$1" --set password="$(cat "$SECRETS/$1")" <<'SQL'
SELECT format('CREATE ROLE %I LOGIN', :'service') WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'service') \gexec
SELECT format('ALTER ROLE %I PASSWORD %L', :'service', :'password') \gexec
SELECT format('CREATE DATABASE %I OWNER %I', :'service', :'service') WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'service') \gexec
SELECT format('REVOKE CONNECT ON DATABASE %I FROM PUBLIC', :'service') \gexec
SQL
}

for file in "$SECRETS"/*svc; do
  service=$(basename "$file")
  tries=60
  # psql ends with 2 where there is no connection, and with 3 where the server refuses a statement.
  until make_database "$service"; do
    if [ $? -ne 2 ] || [ "$tries" -eq 0 ]; then exit 1; fi
    tries=$((tries - 1))
    sleep 1
  done
  echo "database of $service: there"
done
