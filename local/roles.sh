#!/bin/sh
# The services' roles in a PostgreSQL of containers: run by its image when it makes its data folder, and by hand for one that
# was made before: docker compose exec postgres sh /docker-entrypoint-initdb.d/roles.sh
# Each role's password comes from its own variable (INGESTER_PASSWORD, ...).
set -eu
script=${ROLE_SQL:-/roles/role.sql}
ask() { psql --no-psqlrc --quiet -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB"; }
echo 'CREATE EXTENSION IF NOT EXISTS vector;' | ask
for schema in ingester embedder retriever annotator sandbox_executor pbt_generator evaluator; do
  variable=$(echo "$schema" | tr '[:lower:]' '[:upper:]')_PASSWORD
  # A quote in a quoted variable of psql is written twice.
  password=$(eval "printf %s \"\${$variable}\"" | sed "s/'/''/g")
  # By standard input: a command line is for everybody to read.
  { printf '\\set role touchstone_%s\n\\set schema %s\n\\set password '\''%s'\''\n' "$schema" "$schema" "$password"; cat "$script"; } | ask
done
