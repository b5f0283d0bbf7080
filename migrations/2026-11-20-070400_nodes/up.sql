CREATE TABLE nodes (
    id uuid PRIMARY KEY,
    joined_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE boots (
    id uuid PRIMARY KEY,
    node_id uuid NOT NULL REFERENCES nodes,
    -- Raised by every heartbeat; another node takes over when it has stood still for long.
    counter bigint NOT NULL DEFAULT 0,
    joined_at timestamptz NOT NULL DEFAULT now(),
    beat_at timestamptz NOT NULL DEFAULT now(),
    left_at timestamptz
) WITH (fillfactor = 50);

CREATE INDEX boots_present ON boots (node_id) WHERE left_at IS NULL;

CREATE TABLE node_commands (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    boot_id uuid NOT NULL REFERENCES boots ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('hang-up', 'lost')),
    call_id uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX node_commands_of_boot ON node_commands (boot_id);
