#!/bin/sh
# A role and a database of its own for each service whose password lies in SECRETS. May run again at every start.
set -eu
export PGPASSWORD="$(cat "$SECRETS/POSTGRES_PASSWORD")"
for _ in $(seq 60); do
  pg_isready --quiet --host postgres && break
  sleep 1
done
for file in "$SECRETS"/*svc; do
  service=$(basename "$file")
  psql --host postgres --username postgres --no-psqlrc --quiet --set ON_ERROR_STOP=1 --set service="$service" --set password="$(cat "$file")" <<'SQL'
SELECT format('CREATE ROLE %I LOGIN', :'service') WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'service') \gexec
SELECT format('ALTER ROLE %I PASSWORD %L', :'service', :'password') \gexec
SELECT format('CREATE DATABASE %I OWNER %I', :'service', :'service') WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'service') \gexec
SELECT format('REVOKE CONNECT ON DATABASE %I FROM PUBLIC', :'service') \gexec
SQL
  echo "database of $service: there"
done
