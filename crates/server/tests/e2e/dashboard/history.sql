-- A month of a clinic's calls, for pictures: all is decided by md5, nothing by chance.
-- :organization, :number and :trunk are replaced before it runs.
WITH slots AS (
    SELECT n, ('x' || substr(md5('call ' || n), 1, 7))::bit(28)::int AS luck,
        -- In working hours of the clinic, the youngest a quarter of an hour ago.
        now() - interval '15 minutes' - n * interval '11 minutes' AS at
    FROM generate_series(0, 4000) n
), made AS (
    SELECT *, (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(md5('a' || n), 1, 3)
            || '8' || substr(md5('b' || n), 1, 15))::uuid AS id,
        CASE WHEN luck % 100 < 62 THEN 'answered' WHEN luck % 100 < 82 THEN 'no-answer'
            WHEN luck % 100 < 91 THEN 'voicemail' WHEN luck % 100 < 97 THEN 'customer-busy' ELSE 'trunk-error' END AS fate,
        (ARRAY['Margaret Osei', 'Luc Tremblay', 'Priya Raman', 'Daniel Cohen', 'Amélie Gagnon', 'Tom Whitfield',
            'Sofia Marques', 'Jean-Pierre Roy', 'Hannah Lindqvist', 'Omar Haddad', 'Chloé Bélanger', 'Wei Zhang',
            'Ruth Adeyemi', 'Nikolai Petrov', 'Isabelle Fortin', 'Grace Kim'])[1 + luck / 100 % 16] AS name,
        '+1416555' || lpad((luck / 1600 % 10000)::text, 4, '0') AS phone
    FROM slots
    WHERE extract(hour FROM at AT TIME ZONE 'America/Toronto') BETWEEN 8 AND 17
        AND extract(isodow FROM at AT TIME ZONE 'America/Toronto') < 6 AND luck % 7 > 1
), voices AS (
    SELECT array_agg(id ORDER BY name) AS ids FROM assistants WHERE organization_id = ':organization'
), laid AS (
    INSERT INTO calls (id, tenant_id, organization_id, call_type, assistant_id, number_id, user_phone_number, user_name,
        started_at, ended_at, duration_seconds, ended_reason, user_primary_intent, user_sentiment, outcome, created_at)
    SELECT made.id, o.tenant_id, o.id, 'Outbound', ids[1 + luck / 7 % cardinality(ids)], ':number', phone, made.name,
        CASE WHEN fate IN ('answered', 'voicemail') THEN at + interval '9 s' END,
        at + CASE WHEN fate IN ('answered', 'voicemail') THEN (29 + luck % 170) * interval '1 s' ELSE interval '28 s' END,
        CASE WHEN fate IN ('answered', 'voicemail') THEN 20 + luck % 170 END,
        CASE fate WHEN 'answered' THEN (ARRAY['assistant-ended-call', 'customer-ended-call'])[1 + luck / 3 % 2] ELSE fate END,
        CASE WHEN fate = 'answered' THEN (ARRAY['confirm_appointment', 'reschedule_appointment', 'ask_question',
            'cancel_appointment'])[1 + luck / 5 % 4] END,
        CASE WHEN fate = 'answered' THEN (ARRAY['positive', 'neutral', 'positive', 'negative'])[1 + luck / 11 % 4] END,
        CASE WHEN fate = 'answered' THEN (ARRAY['appointment_confirmed', 'appointment_booked', 'information_given'])[1 + luck / 5 % 3]
            WHEN fate = 'voicemail' THEN 'voicemail_left' END,
        at
    FROM made, voices, organizations o WHERE o.id = ':organization'
    RETURNING id, tenant_id, organization_id, created_at, call_type, ended_at, user_name, user_phone_number, standing
), counted AS (
    INSERT INTO call_counts
    SELECT organization_id, date_trunc('hour', created_at, 'UTC'), call_type, count(*) FROM laid GROUP BY 1, 2, 3
), met AS (
    INSERT INTO contacts SELECT id, tenant_id, organization_id, user_name, user_phone_number, created_at FROM laid
), dialled AS (
    INSERT INTO outbound_calls
    SELECT id, tenant_id, organization_id, id, ':trunk', '{}', 'https://booking.northside.example/hooks/calls', standing
    FROM laid
)
SELECT count(*) FROM laid;

-- Their callbacks: most are taken at once, a few only later, one never.
WITH told AS (
    SELECT calls.*, row_number() OVER (ORDER BY created_at DESC) AS n FROM calls
    WHERE organization_id = ':organization' AND ended_at IS NOT NULL ORDER BY created_at DESC LIMIT 40
), laid AS (
    INSERT INTO callbacks (call_id, tenant_id, organization_id, url, destination, body, prepared_at, state, due_at, tries)
    SELECT id, tenant_id, organization_id, 'https://booking.northside.example/hooks/calls', 'booking.northside.example:443',
        '{}'::bytea, ended_at, CASE WHEN n = 6 THEN 'given-up' ELSE 'delivered' END, ended_at,
        CASE WHEN n = 6 THEN 4 WHEN n % 9 = 3 THEN 2 ELSE 1 END
    FROM told RETURNING call_id, prepared_at, state, tries
)
INSERT INTO callback_tries (call_id, try, began_at, took_ms, outcome, http_status, detail)
SELECT call_id, try, prepared_at + (ARRAY[0, 1, 6, 37])[try] * interval '1 s' + interval '40 ms',
    CASE WHEN state = 'given-up' THEN 10000 ELSE 38 + ('x' || substr(md5(call_id::text), 1, 2))::bit(8)::int END,
    CASE WHEN state = 'given-up' THEN 'timed-out' ELSE 'answered' END,
    CASE WHEN state = 'given-up' THEN NULL WHEN try < tries THEN 503 ELSE 204 END, NULL
FROM laid, generate_series(1, tries) try;
