-- What was said on a call, and what it came to; written once, when the call's record is complete.
CREATE TABLE call_transcripts (
    call_id uuid PRIMARY KEY REFERENCES calls,
    entries jsonb NOT NULL,
    facts jsonb NOT NULL,
    created_at timestamptz NOT NULL
);

-- The files of a call that are in the artifact store; their keys follow from the call.
CREATE TABLE call_artifacts (
    call_id uuid NOT NULL REFERENCES calls,
    kind text NOT NULL CHECK (kind IN ('recording', 'transcript')),
    bytes bigint NOT NULL CHECK (bytes >= 0),
    stored_at timestamptz NOT NULL,
    PRIMARY KEY (call_id, kind)
);

-- Analyses of calls: due, claimed under a lease, done.
CREATE TABLE analyses (
    call_id uuid PRIMARY KEY REFERENCES call_transcripts,
    state text NOT NULL DEFAULT 'due' CHECK (state IN ('due', 'done')),
    due_at timestamptz NOT NULL,
    tries smallint NOT NULL DEFAULT 0 CHECK (tries >= 0),
    claimed_by uuid,
    lease_until timestamptz,
    -- What wrote it; none when it was made from facts alone.
    model text,
    done_at timestamptz,
    CHECK ((state = 'done') = (done_at IS NOT NULL))
) WITH (fillfactor = 70);

CREATE INDEX analyses_due ON analyses (due_at, call_id) WHERE state = 'due';
