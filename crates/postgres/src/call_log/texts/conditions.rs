//! Orders of lists, and which calls they hold.

macro_rules! newest {
    () => {
        "created_at DESC, id DESC"
    };
}

macro_rules! oldest {
    () => {
        "created_at, id"
    };
}

macro_rules! longest {
    () => {
        "duration_seconds DESC NULLS LAST, id DESC"
    };
}

macro_rules! shortest {
    () => {
        "duration_seconds, id"
    };
}

macro_rules! always {
    () => {
        "true"
    };
}

macro_rules! in_span {
    () => {
        "created_at >= $7 AND created_at < $8"
    };
}

macro_rules! of_type {
    () => {
        "call_type = ($4)[1]"
    };
}

// Of calls by length: they come in the order of their index, and the others are passed over. The index
// by time would find fewer, but have them read and sorted, however many they are.
macro_rules! in_span_passing {
    () => {
        "(created_at >= $7 AND created_at < $8) IS TRUE"
    };
}

macro_rules! of_type_passing {
    () => {
        "(call_type = ($4)[1]) IS TRUE"
    };
}

macro_rules! of_type_in_span_passing {
    () => {
        "(call_type = ($4)[1] AND created_at >= $7 AND created_at < $8) IS TRUE"
    };
}

macro_rules! of_type_in_span {
    () => {
        "call_type = ($4)[1] AND created_at >= $7 AND created_at < $8"
    };
}

// The part of the condition that every index can judge by itself.
macro_rules! of_types_in_span {
    () => {
        "call_type = ANY($4) AND created_at >= $7 AND created_at < $8"
    };
}

// Case is folded by ICU, because a database may be in the locale "C"; see the index calls_by_intent.
macro_rules! of_intent {
    () => {
        concat!(
            "upper(user_primary_intent COLLATE \"und-x-icu\") COLLATE \"C\" \
             = upper($10 COLLATE \"und-x-icu\") COLLATE \"C\" \
             AND ($9 IS NULL OR assistant_id = ANY(ARRAY(SELECT assistant FROM named))) AND ",
            of_types_in_span!()
        )
    };
}

// Of a status; what is beside it in the index can be judged there, the assistant too.
macro_rules! of_status {
    () => {
        concat!(
            "standing = $17 AND ($9 IS NULL OR assistant_id = ANY(ARRAY(SELECT assistant FROM named))) AND ",
            of_types_in_span!()
        )
    };
}

macro_rules! of_status_passing {
    () => {
        "(standing = $17 AND call_type = ANY($4) AND created_at >= $7 AND created_at < $8) IS TRUE"
    };
}

macro_rules! of_intent_and_status {
    () => {
        concat!("standing = $17 AND ", of_intent!())
    };
}

/// Assistants by a part of their name, in which no character stands for another.
macro_rules! named {
    () => {
        ", named AS MATERIALIZED (
            SELECT id AS assistant FROM assistants JOIN own ON organization_id = owner
            WHERE strpos(upper(name COLLATE \"und-x-icu\"), upper($9 COLLATE \"und-x-icu\")) > 0
        ) "
    };
}

pub(crate) use {
    named, newest, of_intent, of_intent_and_status, of_status, of_type_in_span, of_types_in_span, oldest,
};
