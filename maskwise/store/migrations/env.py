"""Alembic's entry: runs the steps on the connection that `maskwise.store.schema` opened."""

from alembic import context

from maskwise.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,  # SQLite can, too, once BEGIN is said by us
)
with context.begin_transaction():
    context.run_migrations()
