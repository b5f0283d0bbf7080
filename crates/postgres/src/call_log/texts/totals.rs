//! How many calls a list holds in all.

/// How many there are in all: what was folded, and what was not yet.
macro_rules! total {
    () => {
        "(
            SELECT coalesce(sum(calls), 0) FROM call_totals
            WHERE organization_id = owner AND span = 'all' AND call_type = ANY($4)
        ) + (
            SELECT coalesce(sum(calls), 0) FROM call_counts
            WHERE organization_id = owner AND call_type = ANY($4)
        )"
    };
}

/// How many there are in a span: whole parts that are counted already, and edges that are counted now.
macro_rules! total_in_span {
    ($found:ident) => {
        concat!(
            "(
                SELECT coalesce(sum(counted.calls), 0)
                FROM (VALUES ('hour', $11, $12), ('day', $12, $13), ('month', $13, $14), ('day', $14, $15),
                    ('hour', $15, $16)) AS part (span, begins, ends)
                CROSS JOIN LATERAL (
                    SELECT sum(calls) AS calls FROM call_totals
                    WHERE organization_id = owner AND call_totals.span = part.span AND call_type = ANY($4)
                        AND starts >= begins AND starts < ends
                ) counted
            ) + (
                SELECT coalesce(sum(calls), 0) FROM call_counts
                WHERE organization_id = owner AND call_type = ANY($4) AND hour >= $11 AND hour < $16
            ) + (
                SELECT count(*) FROM calls
                WHERE organization_id = owner AND created_at < $11 AND ",
            $found!(),
            ") + (
                SELECT count(*) FROM calls
                WHERE organization_id = owner AND created_at >= $16 AND ",
            $found!(),
            ")"
        )
    };
}

/// How many an index finds by the assistant.
macro_rules! total_by_name {
    () => {
        concat!(
            "(
                SELECT coalesce(sum(of_one.calls), 0) FROM named CROSS JOIN LATERAL (
                    SELECT count(*) AS calls FROM calls
                    WHERE organization_id = owner AND assistant_id = assistant AND ",
            of_types_in_span!(),
            "
                ) of_one
            )"
        )
    };
}

/// How many an index finds.
macro_rules! total_found {
    ($found:ident) => {
        concat!("(SELECT count(*) FROM calls WHERE organization_id = owner AND ", $found!(), ")")
    };
}
