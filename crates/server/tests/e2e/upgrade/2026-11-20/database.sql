SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE FUNCTION public.count_call_outcome() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO call_outcomes (organization_id, half_hour, call_type, status, calls)
    VALUES (NEW.organization_id, date_bin('30 minutes', NEW.created_at, '2000-01-01Z'), NEW.call_type,
        NEW.standing, 1);
    RETURN NULL;
END $$;
CREATE FUNCTION public.refuse_forgotten_keys() RETURNS trigger
    LANGUAGE plpgsql
    AS $_$
DECLARE
    sealed bytea;
    forgotten smallint;
BEGIN
    FOR place IN 0 .. TG_NARGS - 1 LOOP
        EXECUTE format('SELECT ($1).%I', TG_ARGV[place]) INTO sealed USING NEW;
        SELECT number INTO forgotten FROM forgotten_keys
        WHERE octet_length(sealed) > 0 AND number = get_byte(sealed, 0);
        IF FOUND THEN
            RAISE EXCEPTION 'key % was taken out of the key file, but this was encrypted with it', forgotten;
        END IF;
    END LOOP;
    RETURN NEW;
END $_$;
SET default_table_access_method = heap;
CREATE TABLE public.__diesel_schema_migrations (
    version character varying(50) NOT NULL,
    run_on timestamp without time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
);
CREATE TABLE public.analyses (
    call_id uuid NOT NULL,
    state text DEFAULT 'due'::text NOT NULL,
    due_at timestamp with time zone NOT NULL,
    tries smallint DEFAULT 0 NOT NULL,
    claimed_by uuid,
    lease_until timestamp with time zone,
    model text,
    done_at timestamp with time zone,
    CONSTRAINT analyses_check CHECK (((state = 'done'::text) = (done_at IS NOT NULL))),
    CONSTRAINT analyses_state_check CHECK ((state = ANY (ARRAY['due'::text, 'done'::text]))),
    CONSTRAINT analyses_tries_check CHECK ((tries >= 0))
)
WITH (fillfactor='70');
CREATE TABLE public.api_keys (
    id uuid NOT NULL,
    digest bytea NOT NULL,
    tenant_id uuid NOT NULL,
    organization_id uuid,
    name text NOT NULL,
    permissions text[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    CONSTRAINT api_keys_digest_check CHECK ((octet_length(digest) = 32)),
    CONSTRAINT api_keys_permissions_check CHECK ((permissions <@ ARRAY['calls:read'::text, 'outbound:read'::text, 'outbound:create'::text]))
);
CREATE TABLE public.assistants (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    team_id uuid,
    name text NOT NULL,
    engine text NOT NULL,
    script jsonb,
    language text NOT NULL,
    max_duration_ms bigint NOT NULL,
    silence_ms bigint NOT NULL,
    reprompt_ms bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    agent jsonb,
    conduct jsonb DEFAULT '{"records": true, "outcomes": [], "voicemail": null, "recording_notice": null}'::jsonb NOT NULL,
    variables jsonb DEFAULT '{}'::jsonb NOT NULL,
    realtime_key bytea,
    chat_key bytea,
    transcription_key bytea,
    speech_key bytea,
    retired_at timestamp with time zone,
    CONSTRAINT assistants_cascade_keys CHECK (((engine = 'cascade'::text) OR ((chat_key IS NULL) AND (transcription_key IS NULL) AND (speech_key IS NULL)))),
    CONSTRAINT assistants_engine_check CHECK ((engine = ANY (ARRAY['builtin'::text, 'realtime'::text, 'cascade'::text]))),
    CONSTRAINT assistants_max_duration_ms_check CHECK ((max_duration_ms > 0)),
    CONSTRAINT assistants_realtime_key CHECK (((engine = 'realtime'::text) OR (realtime_key IS NULL))),
    CONSTRAINT assistants_reprompt_ms_check CHECK ((reprompt_ms > 0)),
    CONSTRAINT assistants_script_or_agent CHECK ((((engine = 'builtin'::text) = (script IS NOT NULL)) AND ((engine = 'builtin'::text) = (agent IS NULL)))),
    CONSTRAINT assistants_silence_ms_check CHECK ((silence_ms > 0))
);
CREATE TABLE public.audit_entries (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    organization_id uuid,
    at timestamp with time zone NOT NULL,
    actor text NOT NULL,
    actor_id uuid,
    actor_name text,
    address text,
    action text NOT NULL,
    subject text NOT NULL,
    subject_name text,
    CONSTRAINT audit_entries_actor_check CHECK ((actor = ANY (ARRAY['user'::text, 'key'::text, 'operator'::text]))),
    CONSTRAINT audit_entries_check CHECK (((actor = 'operator'::text) = (actor_id IS NULL)))
);
CREATE TABLE public.boots (
    id uuid NOT NULL,
    node_id uuid NOT NULL,
    counter bigint DEFAULT 0 NOT NULL,
    joined_at timestamp with time zone DEFAULT now() NOT NULL,
    beat_at timestamp with time zone DEFAULT now() NOT NULL,
    left_at timestamp with time zone,
    seals_with text,
    opens_with text[],
    keys_since timestamp with time zone
)
WITH (fillfactor='50');
CREATE TABLE public.call_artifacts (
    call_id uuid NOT NULL,
    kind text NOT NULL,
    bytes bigint NOT NULL,
    stored_at timestamp with time zone NOT NULL,
    CONSTRAINT call_artifacts_bytes_check CHECK ((bytes >= 0)),
    CONSTRAINT call_artifacts_kind_check CHECK ((kind = ANY (ARRAY['recording'::text, 'transcript'::text])))
);
CREATE TABLE public.call_counts (
    organization_id uuid NOT NULL,
    hour timestamp with time zone NOT NULL,
    call_type text NOT NULL,
    calls bigint NOT NULL,
    CONSTRAINT call_counts_call_type_check CHECK ((call_type = ANY (ARRAY['Inbound'::text, 'Outbound'::text, 'Web'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='5000', autovacuum_vacuum_insert_scale_factor='0', autovacuum_vacuum_insert_threshold='5000');
CREATE TABLE public.call_legs (
    call_id uuid NOT NULL,
    leg smallint NOT NULL,
    owner uuid NOT NULL,
    epoch integer NOT NULL,
    state text NOT NULL,
    rang_at timestamp with time zone,
    answered_at timestamp with time zone,
    trunk_id uuid NOT NULL,
    sip_call_id text NOT NULL,
    local_tag text NOT NULL,
    branch text NOT NULL,
    first_cseq bigint NOT NULL,
    request_uri text NOT NULL,
    from_header text NOT NULL,
    to_header text NOT NULL,
    transport text NOT NULL,
    gateway text NOT NULL,
    remote_tag text,
    remote_target text,
    route_set text[] DEFAULT '{}'::text[] NOT NULL,
    local_cseq bigint NOT NULL,
    taken_from uuid,
    CONSTRAINT call_legs_check CHECK (((state <> 'dialling'::text) OR ((rang_at IS NULL) AND (answered_at IS NULL)))),
    CONSTRAINT call_legs_check1 CHECK (((state <> 'ringing'::text) OR ((rang_at IS NOT NULL) AND (answered_at IS NULL)))),
    CONSTRAINT call_legs_check2 CHECK (((state <> 'connected'::text) OR (answered_at IS NOT NULL))),
    CONSTRAINT call_legs_epoch_check CHECK ((epoch >= 1)),
    CONSTRAINT call_legs_first_cseq_check CHECK (((first_cseq >= 0) AND (first_cseq <= '4294967295'::bigint))),
    CONSTRAINT call_legs_leg_check CHECK ((leg >= 1)),
    CONSTRAINT call_legs_local_cseq_check CHECK (((local_cseq >= 0) AND (local_cseq <= '4294967295'::bigint))),
    CONSTRAINT call_legs_state_check CHECK ((state = ANY (ARRAY['dialling'::text, 'ringing'::text, 'connected'::text, 'ended'::text]))),
    CONSTRAINT call_legs_transport_check CHECK ((transport = ANY (ARRAY['udp'::text, 'tcp'::text, 'tls'::text])))
)
WITH (fillfactor='70');
CREATE TABLE public.call_outcome_totals (
    organization_id uuid NOT NULL,
    span text NOT NULL,
    starts timestamp with time zone NOT NULL,
    call_type text NOT NULL,
    status text NOT NULL,
    calls bigint NOT NULL,
    CONSTRAINT call_outcome_totals_call_type_check CHECK ((call_type = ANY (ARRAY['Inbound'::text, 'Outbound'::text, 'Web'::text]))),
    CONSTRAINT call_outcome_totals_span_check CHECK ((span = ANY (ARRAY['half'::text, 'hour'::text, 'day'::text, 'month'::text]))),
    CONSTRAINT call_outcome_totals_status_check CHECK ((status = ANY (ARRAY['completed'::text, 'failed'::text, 'busy'::text, 'no-answer'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='5000');
CREATE TABLE public.call_outcomes (
    organization_id uuid NOT NULL,
    half_hour timestamp with time zone NOT NULL,
    call_type text NOT NULL,
    status text NOT NULL,
    calls bigint NOT NULL,
    CONSTRAINT call_outcomes_call_type_check CHECK ((call_type = ANY (ARRAY['Inbound'::text, 'Outbound'::text, 'Web'::text]))),
    CONSTRAINT call_outcomes_status_check CHECK ((status = ANY (ARRAY['completed'::text, 'failed'::text, 'busy'::text, 'no-answer'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='5000', autovacuum_vacuum_insert_scale_factor='0', autovacuum_vacuum_insert_threshold='5000');
CREATE TABLE public.call_totals (
    organization_id uuid NOT NULL,
    span text NOT NULL,
    call_type text NOT NULL,
    starts timestamp with time zone NOT NULL,
    calls bigint NOT NULL,
    CONSTRAINT call_totals_call_type_check CHECK ((call_type = ANY (ARRAY['Inbound'::text, 'Outbound'::text, 'Web'::text]))),
    CONSTRAINT call_totals_span_check CHECK ((span = ANY (ARRAY['hour'::text, 'day'::text, 'month'::text, 'all'::text])))
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='5000');
CREATE TABLE public.call_transcripts (
    call_id uuid NOT NULL,
    entries jsonb NOT NULL,
    facts jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.callback_tries (
    call_id uuid NOT NULL,
    try smallint NOT NULL,
    began_at timestamp with time zone NOT NULL,
    took_ms bigint NOT NULL,
    outcome text NOT NULL,
    http_status integer,
    detail text,
    manual boolean DEFAULT false NOT NULL,
    actor text,
    actor_id uuid,
    actor_name text,
    CONSTRAINT callback_tries_actor_check CHECK ((actor = ANY (ARRAY['user'::text, 'key'::text, 'operator'::text]))),
    CONSTRAINT callback_tries_check CHECK (((outcome = 'answered'::text) = (http_status IS NOT NULL))),
    CONSTRAINT callback_tries_manual CHECK ((manual = (actor IS NOT NULL))),
    CONSTRAINT callback_tries_outcome_check CHECK ((outcome = ANY (ARRAY['answered'::text, 'timed-out'::text, 'broken'::text, 'refused'::text]))),
    CONSTRAINT callback_tries_took_ms_check CHECK ((took_ms >= 0)),
    CONSTRAINT callback_tries_try_check CHECK (((try >= 1) AND (try <= 24)))
);
CREATE TABLE public.callbacks (
    call_id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    url text NOT NULL,
    destination text NOT NULL,
    body bytea NOT NULL,
    prepared_at timestamp with time zone NOT NULL,
    state text NOT NULL,
    due_at timestamp with time zone NOT NULL,
    claimed_by uuid,
    claimed_at timestamp with time zone,
    lease_until timestamp with time zone,
    tries smallint DEFAULT 0 NOT NULL,
    manual_tries smallint DEFAULT 0 NOT NULL,
    manual_by uuid,
    manual_until timestamp with time zone,
    CONSTRAINT callbacks_check CHECK (((claimed_by IS NULL) = (lease_until IS NULL))),
    CONSTRAINT callbacks_check1 CHECK (((claimed_by IS NOT NULL) OR (claimed_at IS NULL))),
    CONSTRAINT callbacks_check2 CHECK (((state = 'pending'::text) OR (claimed_by IS NULL))),
    CONSTRAINT callbacks_manual_after_schedule CHECK (((state <> 'pending'::text) OR (manual_tries = 0))),
    CONSTRAINT callbacks_manual_claim CHECK (((manual_by IS NULL) = (manual_until IS NULL))),
    CONSTRAINT callbacks_manual_tries_check CHECK (((manual_tries >= 0) AND (manual_tries <= 20))),
    CONSTRAINT callbacks_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'given-up'::text]))),
    CONSTRAINT callbacks_tries_check CHECK (((tries >= 0) AND (tries <= 4)))
)
WITH (fillfactor='70');
CREATE TABLE public.calls (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    call_type text NOT NULL,
    assistant_id uuid,
    number_id uuid,
    user_phone_number text,
    user_name text,
    started_at timestamp with time zone,
    ended_at timestamp with time zone,
    duration_seconds bigint,
    ended_reason text,
    user_primary_intent text,
    user_sentiment text,
    outcome text,
    summary text,
    summary_fr text,
    created_at timestamp with time zone NOT NULL,
    standing text GENERATED ALWAYS AS (
CASE
    WHEN (ended_reason IS NULL) THEN 'calling'::text
    WHEN (ended_reason = ANY (ARRAY['customer-ended-call'::text, 'assistant-ended-call'::text, 'assistant-forwarded-call'::text, 'silence-timed-out'::text, 'exceeded-max-duration'::text, 'voicemail'::text])) THEN 'completed'::text
    WHEN ((ended_reason = 'manually-ended'::text) AND (started_at IS NOT NULL)) THEN 'completed'::text
    WHEN (ended_reason = ANY (ARRAY['customer-busy'::text, 'customer-declined'::text])) THEN 'busy'::text
    WHEN (ended_reason = 'no-answer'::text) THEN 'no-answer'::text
    ELSE 'failed'::text
END) STORED NOT NULL,
    CONSTRAINT calls_call_type_check CHECK ((call_type = ANY (ARRAY['Inbound'::text, 'Outbound'::text, 'Web'::text]))),
    CONSTRAINT calls_check CHECK (((ended_at IS NULL) = (ended_reason IS NULL))),
    CONSTRAINT calls_check1 CHECK (((duration_seconds IS NULL) OR ((started_at IS NOT NULL) AND (ended_at IS NOT NULL)))),
    CONSTRAINT calls_duration_seconds_check CHECK ((duration_seconds >= 0)),
    CONSTRAINT calls_ended_reason_check CHECK ((ended_reason = ANY (ARRAY['customer-ended-call'::text, 'assistant-ended-call'::text, 'assistant-forwarded-call'::text, 'silence-timed-out'::text, 'exceeded-max-duration'::text, 'voicemail'::text, 'customer-busy'::text, 'customer-declined'::text, 'no-answer'::text, 'invalid-number'::text, 'trunk-rejected'::text, 'trunk-error'::text, 'trunk-unreachable'::text, 'capacity-exceeded'::text, 'assistant-error'::text, 'media-timeout'::text, 'service-interrupted'::text, 'manually-ended'::text]))),
    CONSTRAINT calls_user_primary_intent_check CHECK ((octet_length(user_primary_intent) <= 512))
);
CREATE TABLE public.contacts (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    name text,
    phone_number text NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.forgotten_keys (
    number smallint NOT NULL,
    forgotten_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT forgotten_keys_number_check CHECK (((number >= 1) AND (number <= 255)))
);
CREATE TABLE public.idempotency_keys (
    tenant_id uuid NOT NULL,
    organization_id uuid,
    operation text NOT NULL,
    key text NOT NULL,
    fingerprint bytea NOT NULL,
    resource_id uuid NOT NULL,
    answer jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT idempotency_keys_fingerprint_check CHECK ((octet_length(fingerprint) = 32)),
    CONSTRAINT idempotency_keys_operation_check CHECK ((operation = ANY (ARRAY['organization'::text, 'outbound'::text])))
);
CREATE TABLE public.metadata_schemas (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    organization_id uuid,
    document jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.node_commands (
    id bigint NOT NULL,
    boot_id uuid NOT NULL,
    kind text NOT NULL,
    call_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT node_commands_kind_check CHECK ((kind = ANY (ARRAY['hang-up'::text, 'lost'::text])))
);
ALTER TABLE public.node_commands ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.node_commands_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.nodes (
    id uuid NOT NULL,
    joined_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.numbers (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    trunk_id uuid NOT NULL,
    number text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    retired_at timestamp with time zone
);
CREATE TABLE public.one_time_links (
    digest bytea NOT NULL,
    user_id uuid,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT one_time_links_digest_check CHECK ((octet_length(digest) = 32))
);
CREATE TABLE public.organization_metadata (
    organization_id uuid NOT NULL,
    version integer NOT NULL,
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    metadata jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    created_by text NOT NULL,
    CONSTRAINT organization_metadata_version_check CHECK ((version >= 1))
);
CREATE TABLE public.organizations (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    name text NOT NULL,
    email text NOT NULL,
    image text,
    address text NOT NULL,
    city text NOT NULL,
    state_province text NOT NULL,
    postal_code text NOT NULL,
    country text NOT NULL,
    phone_number text NOT NULL,
    timezone text NOT NULL,
    external_id text,
    owner_id text NOT NULL,
    created_by text NOT NULL,
    last_modified_by text,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    name_folded text
);
CREATE TABLE public.outbound_calls (
    call_id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    trunk_id uuid NOT NULL,
    variables jsonb NOT NULL,
    callback_url text,
    status text NOT NULL,
    sip_code integer,
    sip_phrase text,
    CONSTRAINT outbound_calls_check CHECK (((sip_code IS NULL) = (sip_phrase IS NULL))),
    CONSTRAINT outbound_calls_sip_code_check CHECK (((sip_code >= 300) AND (sip_code <= 699))),
    CONSTRAINT outbound_calls_status_check CHECK ((status = ANY (ARRAY['calling'::text, 'completed'::text, 'failed'::text, 'busy'::text, 'no-answer'::text])))
);
CREATE TABLE public.sessions (
    digest bytea NOT NULL,
    user_id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    address text,
    user_agent text,
    CONSTRAINT sessions_digest_check CHECK ((octet_length(digest) = 32))
);
CREATE TABLE public.sign_in_failures (
    subject text NOT NULL,
    failures integer NOT NULL,
    last_at timestamp with time zone NOT NULL,
    known_until timestamp with time zone,
    CONSTRAINT sign_in_failures_failures_check CHECK ((failures >= 0))
);
CREATE TABLE public.signing_secrets (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    secret bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone
);
CREATE TABLE public.teams (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.tenants (
    id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.trunk_lines (
    trunk_id uuid NOT NULL,
    line bigint NOT NULL,
    call_id uuid,
    CONSTRAINT trunk_lines_line_check CHECK ((line >= 1))
)
WITH (fillfactor='50');
CREATE TABLE public.trunks (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    name text NOT NULL,
    host text NOT NULL,
    port integer,
    transport text NOT NULL,
    username text,
    password bytea,
    register boolean NOT NULL,
    from_domain text,
    default_country text,
    max_calls bigint,
    calls_per_second bigint,
    created_at timestamp with time zone NOT NULL,
    wideband boolean DEFAULT false NOT NULL,
    srtp text DEFAULT 'off'::text NOT NULL,
    retired_at timestamp with time zone,
    guarded boolean DEFAULT false NOT NULL,
    CONSTRAINT trunks_calls_per_second_check CHECK (((calls_per_second >= 0) AND (calls_per_second <= '4294967295'::bigint))),
    CONSTRAINT trunks_check CHECK (((username IS NULL) = (password IS NULL))),
    CONSTRAINT trunks_max_calls_check CHECK (((max_calls >= 0) AND (max_calls <= '4294967295'::bigint))),
    CONSTRAINT trunks_port_check CHECK (((port >= 1) AND (port <= 65535))),
    CONSTRAINT trunks_srtp_check CHECK ((srtp = ANY (ARRAY['off'::text, 'required'::text]))),
    CONSTRAINT trunks_transport_check CHECK ((transport = ANY (ARRAY['udp'::text, 'tcp'::text, 'tls'::text])))
);
CREATE TABLE public.users (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    organization_id uuid,
    email text NOT NULL,
    email_folded text NOT NULL,
    role text NOT NULL,
    password text,
    created_at timestamp with time zone NOT NULL,
    signed_in_at timestamp with time zone,
    removed_at timestamp with time zone,
    CONSTRAINT users_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text, 'viewer'::text])))
);
INSERT INTO public.__diesel_schema_migrations VALUES ('20261120070100', '2026-11-22 07:14:04.829531');
INSERT INTO public.__diesel_schema_migrations VALUES ('20261120070200', '2026-11-22 07:14:04.845756');
INSERT INTO public.__diesel_schema_migrations VALUES ('20261120070300', '2026-11-22 07:14:04.855136');
INSERT INTO public.__diesel_schema_migrations VALUES ('20261120070400', '2026-11-22 07:14:04.873306');
INSERT INTO public.__diesel_schema_migrations VALUES ('20261120070500', '2026-11-22 07:14:04.884958');
INSERT INTO public.__diesel_schema_migrations VALUES ('20261120070600', '2026-11-22 07:14:04.909689');
INSERT INTO public.__diesel_schema_migrations VALUES ('20261120074700', '2026-11-22 07:14:04.924461');
INSERT INTO public.__diesel_schema_migrations VALUES ('20261120095500', '2026-11-22 07:14:04.927204');
INSERT INTO public.__diesel_schema_migrations VALUES ('20261120095600', '2026-11-22 07:14:04.931819');
INSERT INTO public.__diesel_schema_migrations VALUES ('20261120100900', '2026-11-22 07:14:04.940864');
INSERT INTO public.__diesel_schema_migrations VALUES ('20261120101000', '2026-11-22 07:14:04.945904');
INSERT INTO public.__diesel_schema_migrations VALUES ('20261120113000', '2026-11-22 07:14:04.95198');
INSERT INTO public.__diesel_schema_migrations VALUES ('20261120130500', '2026-11-22 07:14:04.954388');
INSERT INTO public.__diesel_schema_migrations VALUES ('20261120131500', '2026-11-22 07:14:04.961931');
INSERT INTO public.__diesel_schema_migrations VALUES ('20261120134500', '2026-11-22 07:14:04.965457');
INSERT INTO public.__diesel_schema_migrations VALUES ('20261120142000', '2026-11-22 07:14:04.967755');
INSERT INTO public.__diesel_schema_migrations VALUES ('20261120163000', '2026-11-22 07:14:04.970924');
INSERT INTO public.__diesel_schema_migrations VALUES ('20261120163100', '2026-11-22 07:14:04.984693');
INSERT INTO public.__diesel_schema_migrations VALUES ('20261120163200', '2026-11-22 07:14:04.9882');
INSERT INTO public.__diesel_schema_migrations VALUES ('20261120163300', '2026-11-22 07:14:04.994188');
INSERT INTO public.__diesel_schema_migrations VALUES ('20261120163400', '2026-11-22 07:14:05.010899');
INSERT INTO public.__diesel_schema_migrations VALUES ('20261120163500', '2026-11-22 07:14:05.01404');
INSERT INTO public.__diesel_schema_migrations VALUES ('20261120163510', '2026-11-22 07:14:05.017199');
INSERT INTO public.__diesel_schema_migrations VALUES ('20261120201500', '2026-11-22 07:14:05.021738');
INSERT INTO public.__diesel_schema_migrations VALUES ('20261120204000', '2026-11-22 07:14:05.025171');
INSERT INTO public.analyses VALUES ('01a2021a-e998-72c4-b2fb-bd0ee9788292', 'done', '2026-11-22 07:14:11.943+00', 1, NULL, NULL, NULL, '2026-11-22 07:14:11.959515+00');
INSERT INTO public.analyses VALUES ('01a2021a-ea4c-701a-8ea0-a114e4305d16', 'done', '2026-11-22 07:14:12.062+00', 1, NULL, NULL, NULL, '2026-11-22 07:14:12.070714+00');
INSERT INTO public.analyses VALUES ('01a2021a-ea2e-7784-bc65-eca04db28bee', 'done', '2026-11-22 07:14:12.094+00', 1, NULL, NULL, NULL, '2026-11-22 07:14:12.10014+00');
INSERT INTO public.analyses VALUES ('01a2021a-ea7f-7a66-b1c7-22a7c396be26', 'done', '2026-11-22 07:14:12.167+00', 1, NULL, NULL, NULL, '2026-11-22 07:14:12.170035+00');
INSERT INTO public.api_keys VALUES ('01a2021a-e7dc-7c58-83bd-1ed8e3f7f674', '\x6dd31a00ebef443acaf1981eb80221f717ee6e5d546405cc7a8d8841e8d6e3a4', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', 'revoked', '{calls:read,outbound:read,outbound:create}', '2026-11-22 07:14:07.452+00', NULL, '2026-11-22 07:14:07.517+00');
INSERT INTO public.api_keys VALUES ('01a2021a-e769-70d8-a3a7-022f0067a7ff', '\x5b29da2b52cfedf64d0077500e705e8c2f6aa9b65642a57b89790fffd2cf0bba', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', 'desk', '{calls:read,outbound:read,outbound:create}', '2026-11-22 07:14:07.337+00', '2026-11-22 07:15:25.216+00', NULL);
INSERT INTO public.api_keys VALUES ('01a2021a-e7a8-768b-bc9f-6d4e9aaac837', '\xd2ef5efb808cd1c4247ccadd0a2738001cb48970857757184f93e5c8939dd59a', '01a2021a-e0d5-7c01-91ec-e21ff3dcdad6', NULL, 'all of south', '{calls:read,outbound:read,outbound:create}', '2026-11-22 07:14:07.4+00', '2026-11-22 07:15:25.272+00', NULL);
INSERT INTO public.assistants VALUES ('01a2021a-e57d-73f0-aa4f-099283412dc1', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', NULL, 'Announcement', 'builtin', '{"steps": [], "reprompt": null, "closing_line": "Goodbye.", "first_message": "Hello {{customerName}}."}', 'en-US', 600000, 30000, 10000, '2026-11-22 07:14:06.845+00', NULL, '{"records": true, "outcomes": [], "voicemail": null, "recording_notice": null}', '{"clinic": "North"}', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.assistants VALUES ('01a2021a-e5b9-791a-89f2-e7521ed6abb9', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', NULL, 'Named', 'realtime', NULL, 'en-US', 600000, 30000, 10000, '2026-11-22 07:14:06.905+00', '{"tools": ["end_call"], "realtime": {"voice": null, "dialect": "openai", "provider": {"model": "gpt-realtime", "endpoint": "ws://127.0.0.1:47001/v1/realtime", "variable": "PROVIDER_KEY"}, "transcription_model": "gpt-4o-mini-transcribe"}, "instructions": "Be kind to {{customerName}}.", "fallback_line": null, "first_message": "Good morning.", "transfer_targets": []}', '{"records": true, "outcomes": [], "voicemail": null, "recording_notice": null}', '{}', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.assistants VALUES ('01a2021a-e5f5-7174-8f59-f0b839e53ce8', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', NULL, 'Stored', 'realtime', NULL, 'en-US', 600000, 30000, 10000, '2026-11-22 07:14:06.965+00', '{"tools": ["end_call"], "realtime": {"voice": null, "dialect": "openai", "provider": {"model": "gpt-realtime", "endpoint": "ws://127.0.0.1:47001/v1/realtime", "variable": null}, "transcription_model": "gpt-4o-mini-transcribe"}, "instructions": "Be kind to {{customerName}}.", "fallback_line": null, "first_message": "Good morning.", "transfer_targets": []}', '{"records": true, "outcomes": [], "voicemail": null, "recording_notice": null}', '{}', '\x0179806c4278180a584a4cb9edc6bd42662b1a19b17926989f7b960295d6459730839e66c271661156776ee916fbb11fee993ff59c064e00', NULL, NULL, NULL, NULL);
INSERT INTO public.assistants VALUES ('01a2021a-e668-73d7-a171-8b8ea90aefe4', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', NULL, 'Elsewhere', 'realtime', NULL, 'en-US', 600000, 30000, 10000, '2026-11-22 07:14:07.08+00', '{"tools": ["end_call"], "realtime": {"voice": null, "dialect": "openai", "provider": {"model": "gpt-realtime", "endpoint": "wss://eavesdropper.invalid/v1/realtime", "variable": "PROVIDER_KEY"}, "transcription_model": "gpt-4o-mini-transcribe"}, "instructions": "Be kind to {{customerName}}.", "fallback_line": null, "first_message": "Good morning.", "transfer_targets": []}', '{"records": true, "outcomes": [], "voicemail": null, "recording_notice": null}', '{}', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.assistants VALUES ('01a2021a-e6a5-7c5f-a134-cb6009053dbe', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', NULL, 'Cascade', 'cascade', NULL, 'fr-CA', 600000, 30000, 10000, '2026-11-22 07:14:07.141+00', '{"tools": ["end_call"], "cascade": {"chat": {"model": "m-chat", "endpoint": "http://127.0.0.1:47007/v1", "variable": null}, "voice": "alloy", "speech": {"model": "m-speech", "endpoint": "http://127.0.0.1:47007/v1", "variable": "PROVIDER_KEY"}, "transcription": {"model": "m-transcription", "endpoint": "http://127.0.0.1:47007/v1", "variable": "PROVIDER_KEY"}}, "instructions": "Be brief.", "fallback_line": null, "first_message": null, "transfer_targets": []}', '{"records": true, "outcomes": [], "voicemail": null, "recording_notice": null}', '{}', NULL, '\x019437c09267d17fae4dbbb8faf74d2b2d38d9f4e26f373634120c208546eb0ddfaaeab5a1d84da36349bfae6e16572bda44d525506506', NULL, NULL, NULL);
INSERT INTO public.assistants VALUES ('01a2021a-e724-7b29-a5fd-bf24bf119f11', '01a2021a-e0d5-7c01-91ec-e21ff3dcdad6', '01a2021a-e148-72f6-922a-3f7c3fbecad3', NULL, 'South', 'builtin', '{"steps": [], "reprompt": null, "closing_line": "Bye.", "first_message": "Hello."}', 'en-US', 600000, 30000, 10000, '2026-11-22 07:14:07.268+00', NULL, '{"records": true, "outcomes": [], "voicemail": null, "recording_notice": null}', '{}', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.audit_entries VALUES ('01a2021a-e08d-75a8-ab14-49f8acfb5edd', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', NULL, '2026-11-22 07:14:05.581+00', 'operator', NULL, NULL, NULL, 'tenant.create', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', 'North');
INSERT INTO public.audit_entries VALUES ('01a2021a-e0d5-7890-8b16-4555cb1a5ce6', '01a2021a-e0d5-7c01-91ec-e21ff3dcdad6', NULL, '2026-11-22 07:14:05.653+00', 'operator', NULL, NULL, NULL, 'tenant.create', '01a2021a-e0d5-7c01-91ec-e21ff3dcdad6', 'South');
INSERT INTO public.audit_entries VALUES ('01a2021a-e10d-7d53-a226-382aace3850a', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '2026-11-22 07:14:05.709+00', 'operator', NULL, NULL, NULL, 'organization.create', '01a2021a-e10d-78cc-a977-d165076084df', 'Clinic');
INSERT INTO public.audit_entries VALUES ('01a2021a-e148-7479-b332-d77b8e6daf2c', '01a2021a-e0d5-7c01-91ec-e21ff3dcdad6', '01a2021a-e148-72f6-922a-3f7c3fbecad3', '2026-11-22 07:14:05.768+00', 'operator', NULL, NULL, NULL, 'organization.create', '01a2021a-e148-72f6-922a-3f7c3fbecad3', 'Bakery');
INSERT INTO public.audit_entries VALUES ('01a2021a-e184-7f38-8c6e-fc24c76ffd50', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e184-7c25-a96c-28e826e6b7d1', '2026-11-22 07:14:05.828+00', 'operator', NULL, NULL, NULL, 'organization.create', '01a2021a-e184-7c25-a96c-28e826e6b7d1', 'Closed');
INSERT INTO public.audit_entries VALUES ('01a2021a-e1c0-7fb5-9a5d-93c79633a2e3', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e184-7c25-a96c-28e826e6b7d1', '2026-11-22 07:14:05.888+00', 'operator', NULL, NULL, NULL, 'organization.delete', '01a2021a-e184-7c25-a96c-28e826e6b7d1', 'Closed');
INSERT INTO public.audit_entries VALUES ('01a2021a-e1f3-7263-9aa4-bb7cb4a6809e', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', NULL, '2026-11-22 07:14:05.939+00', 'operator', NULL, NULL, NULL, 'trunk.create', '01a2021a-e1f3-7885-8212-eff1071b585c', 'main');
INSERT INTO public.audit_entries VALUES ('01a2021a-e22f-71dd-889d-1c4386f033a8', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', NULL, '2026-11-22 07:14:05.999+00', 'operator', NULL, NULL, NULL, 'trunk.create', '01a2021a-e22f-7c68-a47b-92b89ee97f03', 'busy');
INSERT INTO public.audit_entries VALUES ('01a2021a-e269-7ab5-a538-714d770919c9', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', NULL, '2026-11-22 07:14:06.057+00', 'operator', NULL, NULL, NULL, 'trunk.create', '01a2021a-e268-7a53-a02c-a083260ed96a', 'silent');
INSERT INTO public.audit_entries VALUES ('01a2021a-e295-7b0a-b258-8571dcd4a9ca', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', NULL, '2026-11-22 07:14:06.101+00', 'operator', NULL, NULL, NULL, 'trunk.create', '01a2021a-e295-72c1-9024-c94abf0c3438', 'unknown');
INSERT INTO public.audit_entries VALUES ('01a2021a-e2be-789d-9503-d14d47e0410d', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', NULL, '2026-11-22 07:14:06.142+00', 'operator', NULL, NULL, NULL, 'trunk.create', '01a2021a-e2bd-786a-b1e0-13bfe4ba7e27', 'encrypted');
INSERT INTO public.audit_entries VALUES ('01a2021a-e2ec-7100-841e-c1b908528eb6', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', NULL, '2026-11-22 07:14:06.188+00', 'operator', NULL, NULL, NULL, 'trunk.create', '01a2021a-e2ec-744d-92b7-cc538da16642', 'guarded');
INSERT INTO public.audit_entries VALUES ('01a2021a-e345-748b-8d90-c3adb5a088dc', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', NULL, '2026-11-22 07:14:06.277+00', 'operator', NULL, NULL, NULL, 'trunk.create', '01a2021a-e345-760d-bd9b-832e73e5654d', 'secured');
INSERT INTO public.audit_entries VALUES ('01a2021a-e389-7565-9da6-8cb6cb45d6c1', '01a2021a-e0d5-7c01-91ec-e21ff3dcdad6', NULL, '2026-11-22 07:14:06.345+00', 'operator', NULL, NULL, NULL, 'trunk.create', '01a2021a-e389-7c07-8c4b-e0478d0f1ae5', 'south');
INSERT INTO public.audit_entries VALUES ('01a2021a-e3c9-7e21-937a-6e928479de55', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '2026-11-22 07:14:06.409+00', 'operator', NULL, NULL, NULL, 'number.create', '01a2021a-e3c8-7400-abd8-09f01a04fa1e', '+14155550100');
INSERT INTO public.audit_entries VALUES ('01a2021a-e3fe-7a3c-932f-534538e1f2bd', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '2026-11-22 07:14:06.462+00', 'operator', NULL, NULL, NULL, 'number.create', '01a2021a-e3fe-7005-90bd-3cbf6dfa3cee', '+14155550101');
INSERT INTO public.audit_entries VALUES ('01a2021a-e435-7054-b3e7-c68bea9297e7', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '2026-11-22 07:14:06.517+00', 'operator', NULL, NULL, NULL, 'number.create', '01a2021a-e435-7f76-a476-5c130dc68f0d', '+14155550102');
INSERT INTO public.audit_entries VALUES ('01a2021a-e468-7a1e-a93e-dfa0a9628625', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '2026-11-22 07:14:06.568+00', 'operator', NULL, NULL, NULL, 'number.create', '01a2021a-e468-72d6-8a0b-c6f3e94fea6e', '+14155550103');
INSERT INTO public.audit_entries VALUES ('01a2021a-e49e-7734-ada2-a9b25a572080', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '2026-11-22 07:14:06.622+00', 'operator', NULL, NULL, NULL, 'number.create', '01a2021a-e49e-70e8-bc89-1fa878ca6157', '+14155550104');
INSERT INTO public.audit_entries VALUES ('01a2021a-e4dc-7701-bf5c-f1c001aa09cc', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '2026-11-22 07:14:06.684+00', 'operator', NULL, NULL, NULL, 'number.create', '01a2021a-e4dc-7ae2-9c3d-940e63c75584', '+14155550105');
INSERT INTO public.audit_entries VALUES ('01a2021a-e519-70b2-9963-0a07bc882341', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '2026-11-22 07:14:06.745+00', 'operator', NULL, NULL, NULL, 'number.create', '01a2021a-e519-703c-bef0-fa017103e538', '+14155550106');
INSERT INTO public.audit_entries VALUES ('01a2021a-e548-742a-982e-85a9577ea896', '01a2021a-e0d5-7c01-91ec-e21ff3dcdad6', '01a2021a-e148-72f6-922a-3f7c3fbecad3', '2026-11-22 07:14:06.792+00', 'operator', NULL, NULL, NULL, 'number.create', '01a2021a-e548-7f48-94c1-f4fbcb38e735', '+14155550107');
INSERT INTO public.audit_entries VALUES ('01a2021a-e57d-793d-b5bf-c809753b8fb9', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '2026-11-22 07:14:06.845+00', 'operator', NULL, NULL, NULL, 'assistant.create', '01a2021a-e57d-73f0-aa4f-099283412dc1', 'Announcement');
INSERT INTO public.audit_entries VALUES ('01a2021a-e5b9-700e-8718-9f513b198442', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '2026-11-22 07:14:06.905+00', 'operator', NULL, NULL, NULL, 'assistant.create', '01a2021a-e5b9-791a-89f2-e7521ed6abb9', 'Named');
INSERT INTO public.audit_entries VALUES ('01a2021a-e5f5-700a-a066-d8c1345d6a34', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '2026-11-22 07:14:06.965+00', 'operator', NULL, NULL, NULL, 'assistant.create', '01a2021a-e5f5-7174-8f59-f0b839e53ce8', 'Stored');
INSERT INTO public.audit_entries VALUES ('01a2021a-e62d-7478-bf35-03dbfd2cf25c', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '2026-11-22 07:14:07.021+00', 'operator', NULL, NULL, NULL, 'assistant.provider-key', '01a2021a-e5f5-7174-8f59-f0b839e53ce8', 'Stored');
INSERT INTO public.audit_entries VALUES ('01a2021a-e668-7dac-8b6e-60cd05a20d0f', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '2026-11-22 07:14:07.08+00', 'operator', NULL, NULL, NULL, 'assistant.create', '01a2021a-e668-73d7-a171-8b8ea90aefe4', 'Elsewhere');
INSERT INTO public.audit_entries VALUES ('01a2021a-e6a5-7988-9e6f-c53d5567cb8e', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '2026-11-22 07:14:07.141+00', 'operator', NULL, NULL, NULL, 'assistant.create', '01a2021a-e6a5-7c5f-a134-cb6009053dbe', 'Cascade');
INSERT INTO public.audit_entries VALUES ('01a2021a-e6dd-7479-960c-b75572bfb848', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '2026-11-22 07:14:07.197+00', 'operator', NULL, NULL, NULL, 'assistant.provider-key', '01a2021a-e6a5-7c5f-a134-cb6009053dbe', 'Cascade');
INSERT INTO public.audit_entries VALUES ('01a2021a-e724-7054-8923-3b08299867e9', '01a2021a-e0d5-7c01-91ec-e21ff3dcdad6', '01a2021a-e148-72f6-922a-3f7c3fbecad3', '2026-11-22 07:14:07.268+00', 'operator', NULL, NULL, NULL, 'assistant.create', '01a2021a-e724-7b29-a5fd-bf24bf119f11', 'South');
INSERT INTO public.audit_entries VALUES ('01a2021a-e769-7a49-99ca-19cb8691632e', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '2026-11-22 07:14:07.337+00', 'operator', NULL, NULL, NULL, 'key.create', '01a2021a-e769-70d8-a3a7-022f0067a7ff', 'desk');
INSERT INTO public.audit_entries VALUES ('01a2021a-e7a8-7233-8aef-c47bbfc41fb3', '01a2021a-e0d5-7c01-91ec-e21ff3dcdad6', NULL, '2026-11-22 07:14:07.4+00', 'operator', NULL, NULL, NULL, 'key.create', '01a2021a-e7a8-768b-bc9f-6d4e9aaac837', 'all of south');
INSERT INTO public.audit_entries VALUES ('01a2021a-e7dc-7404-8761-86584f08c0df', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '2026-11-22 07:14:07.452+00', 'operator', NULL, NULL, NULL, 'key.create', '01a2021a-e7dc-7c58-83bd-1ed8e3f7f674', 'revoked');
INSERT INTO public.audit_entries VALUES ('01a2021a-e81d-7fb1-8390-3bfd3faad061', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '2026-11-22 07:14:07.517+00', 'operator', NULL, NULL, NULL, 'key.revoke', '01a2021a-e7dc-7c58-83bd-1ed8e3f7f674', 'revoked');
INSERT INTO public.audit_entries VALUES ('01a2021a-e858-7f5d-9cd7-4c112d09f1ea', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', NULL, '2026-11-22 07:14:07.576+00', 'operator', NULL, NULL, NULL, 'user.create', '01a2021a-e858-7f46-b6a5-c62c80364888', 'admin@example.com');
INSERT INTO public.audit_entries VALUES ('01a2021a-e8d1-75fc-a352-e32440b28098', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '2026-11-22 07:14:07.697+00', 'operator', NULL, NULL, NULL, 'user.create', '01a2021a-e8d1-7c35-91e5-cd13a559441d', 'viewer@example.com');
INSERT INTO public.audit_entries VALUES ('01a2021a-e924-75f4-a709-f639bdc17c8d', '01a2021a-e0d5-7c01-91ec-e21ff3dcdad6', NULL, '2026-11-22 07:14:07.78+00', 'operator', NULL, NULL, NULL, 'user.create', '01a2021a-e924-7a93-9014-2231604cafa3', 'invited@example.com');
INSERT INTO public.audit_entries VALUES ('01a2021a-e964-723e-b391-bd3d2b03ceca', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '2026-11-22 07:14:07.844+00', 'operator', NULL, NULL, NULL, 'secret.show', '01a2021a-e10d-78cc-a977-d165076084df', 'Clinic');
INSERT INTO public.boots VALUES ('01a2021a-df1a-7716-bed3-f882ab191f74', '01a2021a-def0-7111-86d1-4c32430a9d67', 41, '2026-11-22 07:14:05.457067+00', '2026-11-22 07:15:23.478043+00', '2026-11-22 07:15:25.328196+00', '1:7bf57669e3e8e48e65cb3aabfa005187', '{1:7bf57669e3e8e48e65cb3aabfa005187}', '2026-11-22 07:14:05.514631+00');
INSERT INTO public.call_artifacts VALUES ('01a2021a-e998-72c4-b2fb-bd0ee9788292', 'recording', 128684, '2026-11-22 07:14:11.956+00');
INSERT INTO public.call_artifacts VALUES ('01a2021a-e998-72c4-b2fb-bd0ee9788292', 'transcript', 93, '2026-11-22 07:14:11.966+00');
INSERT INTO public.call_artifacts VALUES ('01a2021a-ea4c-701a-8ea0-a114e4305d16', 'recording', 126764, '2026-11-22 07:14:12.077+00');
INSERT INTO public.call_artifacts VALUES ('01a2021a-ea4c-701a-8ea0-a114e4305d16', 'transcript', 90, '2026-11-22 07:14:12.089+00');
INSERT INTO public.call_artifacts VALUES ('01a2021a-ea2e-7784-bc65-eca04db28bee', 'recording', 128684, '2026-11-22 07:14:12.118+00');
INSERT INTO public.call_artifacts VALUES ('01a2021a-ea2e-7784-bc65-eca04db28bee', 'transcript', 34, '2026-11-22 07:14:12.134+00');
INSERT INTO public.call_artifacts VALUES ('01a2021a-ea7f-7a66-b1c7-22a7c396be26', 'recording', 128044, '2026-11-22 07:14:12.178+00');
INSERT INTO public.call_artifacts VALUES ('01a2021a-ea7f-7a66-b1c7-22a7c396be26', 'transcript', 27, '2026-11-22 07:14:12.198+00');
INSERT INTO public.call_legs VALUES ('01a2021a-e9e3-7126-97f3-2302b591c863', 1, '01a2021a-df1a-7716-bed3-f882ab191f74', 1, 'ended', NULL, NULL, '01a2021a-e22f-7c68-a47b-92b89ee97f03', 'ecfd3e21550d5206af7fb3cb954af3a9@127.0.0.1', '23680a5d55d794b2', 'z9hG4bKbe10d3bdb5c403832f62709e.b7d4', 1, 'sip:+14155550123@127.0.0.1:47003', '<sip:+14155550101@127.0.0.1>', '<sip:+14155550123@127.0.0.1:47003>', 'udp', '127.0.0.1:47003', NULL, NULL, '{}', 1, NULL);
INSERT INTO public.call_legs VALUES ('01a2021a-ea1e-705e-8db2-43d1f37373e7', 1, '01a2021a-df1a-7716-bed3-f882ab191f74', 1, 'ended', NULL, NULL, '01a2021a-e295-72c1-9024-c94abf0c3438', 'ee2b7d5e69f13b9bc43070e6f817a05c@127.0.0.1', 'bac8cd42814c9ecb', 'z9hG4bK6d73f8af1506c002e80e6243.b7d4', 1, 'sip:+14155550123@127.0.0.1:47005', '<sip:+14155550103@127.0.0.1>', '<sip:+14155550123@127.0.0.1:47005>', 'udp', '127.0.0.1:47005', NULL, NULL, '{}', 1, NULL);
INSERT INTO public.call_legs VALUES ('01a2021a-e998-72c4-b2fb-bd0ee9788292', 1, '01a2021a-df1a-7716-bed3-f882ab191f74', 1, 'ended', NULL, '2026-11-22 07:14:07.916+00', '01a2021a-e1f3-7885-8212-eff1071b585c', 'f089531998087cc61aaaf921214a3f65@127.0.0.1', 'f7b66fad330214ed', 'z9hG4bK359c88997ae7c19af81ff3db.b7d4', 1, 'sip:+14155550123@127.0.0.1:47002', '<sip:+14155550100@127.0.0.1>', '<sip:+14155550123@127.0.0.1:47002>', 'udp', '127.0.0.1:47002', 'v51cQVhY', 'sip:+14155550123@127.0.0.1:47002', '{}', 1, NULL);
INSERT INTO public.call_legs VALUES ('01a2021a-ea04-7716-a9d0-546704d92560', 1, '01a2021a-df1a-7716-bed3-f882ab191f74', 1, 'ended', '2026-11-22 07:14:08.027+00', NULL, '01a2021a-e268-7a53-a02c-a083260ed96a', '0b68252bb95887d6f83d4fefd4322364@127.0.0.1', '64a421bec762501a', 'z9hG4bK8e4244908ca3c11e6ad42fd6.b7d4', 1, 'sip:+14155550123@127.0.0.1:47004', '<sip:+14155550102@127.0.0.1>', '<sip:+14155550123@127.0.0.1:47004>', 'udp', '127.0.0.1:47004', NULL, NULL, '{}', 1, NULL);
INSERT INTO public.call_legs VALUES ('01a2021a-ea4c-701a-8ea0-a114e4305d16', 1, '01a2021a-df1a-7716-bed3-f882ab191f74', 1, 'ended', '2026-11-22 07:14:08.114+00', '2026-11-22 07:14:08.116+00', '01a2021a-e389-7c07-8c4b-e0478d0f1ae5', '60337f7e90e3272bd15184cabf2a8094@127.0.0.1', '3bb22bf1f719a850', 'z9hG4bKc6df72481a9bd89e743d9d93.b7d4', 1, 'sip:+14155550123@127.0.0.1:47002', '<sip:+14155550107@south.example.com>', '<sip:+14155550123@127.0.0.1:47002>', 'udp', '127.0.0.1:47002', 'xOZxMCLM', 'sip:+14155550123@127.0.0.1:47002', '{}', 1, NULL);
INSERT INTO public.call_legs VALUES ('01a2021a-ea2e-7784-bc65-eca04db28bee', 1, '01a2021a-df1a-7716-bed3-f882ab191f74', 1, 'ended', '2026-11-22 07:14:08.082+00', '2026-11-22 07:14:08.088+00', '01a2021a-e1f3-7885-8212-eff1071b585c', '498cff052b4acd27b24a819435372850@127.0.0.1', 'a43cbc652af6c3a1', 'z9hG4bK7c96f5ed2cbc4100d59fac8a.b7d4', 1, 'sip:+14155550123@127.0.0.1:47002', '<sip:+14155550100@127.0.0.1>', '<sip:+14155550123@127.0.0.1:47002>', 'udp', '127.0.0.1:47002', '1HYhVZYv', 'sip:+14155550123@127.0.0.1:47002', '{}', 1, NULL);
INSERT INTO public.call_legs VALUES ('01a2021a-ea6d-796e-bc11-6f9a692464a4', 1, '01a2021a-df1a-7716-bed3-f882ab191f74', 1, 'ended', NULL, NULL, '01a2021a-e2bd-786a-b1e0-13bfe4ba7e27', '76e4f853b15caeaea94349fbcdb84920@127.0.0.1', 'd6c2b894b47e9945', 'z9hG4bK9f9970d2d238208b64bdb2b7.b7d4', 1, 'sip:+14155550123@127.0.0.1:47006', '<sip:+14155550104@127.0.0.1>', '<sip:+14155550123@127.0.0.1:47006>', 'udp', '127.0.0.1:47006', NULL, NULL, '{}', 1, NULL);
INSERT INTO public.call_legs VALUES ('01a2021a-ea7f-7a66-b1c7-22a7c396be26', 1, '01a2021a-df1a-7716-bed3-f882ab191f74', 1, 'ended', NULL, '2026-11-22 07:14:08.155+00', '01a2021a-e1f3-7885-8212-eff1071b585c', '3c8efa22caae97dca1ad3a18635da278@127.0.0.1', '89653fd84ca5e0b6', 'z9hG4bK9106b05fcc9d19ae8dd6c214.b7d4', 1, 'sip:+14155550123@127.0.0.1:47002', '<sip:+14155550100@127.0.0.1>', '<sip:+14155550123@127.0.0.1:47002>', 'udp', '127.0.0.1:47002', 'eRwunsp4', 'sip:+14155550123@127.0.0.1:47002', '{}', 1, NULL);
INSERT INTO public.call_outcome_totals VALUES ('01a2021a-e10d-78cc-a977-d165076084df', 'half', '2026-11-22 07:00:00+00', 'Outbound', 'busy', 1);
INSERT INTO public.call_outcome_totals VALUES ('01a2021a-e10d-78cc-a977-d165076084df', 'day', '2026-11-22 00:00:00+00', 'Outbound', 'busy', 1);
INSERT INTO public.call_outcome_totals VALUES ('01a2021a-e10d-78cc-a977-d165076084df', 'hour', '2026-11-22 07:00:00+00', 'Outbound', 'busy', 1);
INSERT INTO public.call_outcome_totals VALUES ('01a2021a-e10d-78cc-a977-d165076084df', 'month', '2026-11-01 00:00:00+00', 'Outbound', 'busy', 1);
INSERT INTO public.call_outcome_totals VALUES ('01a2021a-e148-72f6-922a-3f7c3fbecad3', 'half', '2026-11-22 07:00:00+00', 'Outbound', 'completed', 1);
INSERT INTO public.call_outcome_totals VALUES ('01a2021a-e148-72f6-922a-3f7c3fbecad3', 'hour', '2026-11-22 07:00:00+00', 'Outbound', 'completed', 1);
INSERT INTO public.call_outcome_totals VALUES ('01a2021a-e10d-78cc-a977-d165076084df', 'hour', '2026-11-22 07:00:00+00', 'Outbound', 'no-answer', 1);
INSERT INTO public.call_outcome_totals VALUES ('01a2021a-e10d-78cc-a977-d165076084df', 'month', '2026-11-01 00:00:00+00', 'Outbound', 'completed', 3);
INSERT INTO public.call_outcome_totals VALUES ('01a2021a-e10d-78cc-a977-d165076084df', 'half', '2026-11-22 07:00:00+00', 'Outbound', 'completed', 3);
INSERT INTO public.call_outcome_totals VALUES ('01a2021a-e10d-78cc-a977-d165076084df', 'day', '2026-11-22 00:00:00+00', 'Outbound', 'completed', 3);
INSERT INTO public.call_outcome_totals VALUES ('01a2021a-e10d-78cc-a977-d165076084df', 'hour', '2026-11-22 07:00:00+00', 'Outbound', 'completed', 3);
INSERT INTO public.call_outcome_totals VALUES ('01a2021a-e10d-78cc-a977-d165076084df', 'day', '2026-11-22 00:00:00+00', 'Outbound', 'no-answer', 1);
INSERT INTO public.call_outcome_totals VALUES ('01a2021a-e148-72f6-922a-3f7c3fbecad3', 'day', '2026-11-22 00:00:00+00', 'Outbound', 'completed', 1);
INSERT INTO public.call_outcome_totals VALUES ('01a2021a-e10d-78cc-a977-d165076084df', 'month', '2026-11-01 00:00:00+00', 'Outbound', 'no-answer', 1);
INSERT INTO public.call_outcome_totals VALUES ('01a2021a-e10d-78cc-a977-d165076084df', 'half', '2026-11-22 07:00:00+00', 'Outbound', 'no-answer', 1);
INSERT INTO public.call_outcome_totals VALUES ('01a2021a-e148-72f6-922a-3f7c3fbecad3', 'month', '2026-11-01 00:00:00+00', 'Outbound', 'completed', 1);
INSERT INTO public.call_outcome_totals VALUES ('01a2021a-e10d-78cc-a977-d165076084df', 'day', '2026-11-22 00:00:00+00', 'Outbound', 'failed', 2);
INSERT INTO public.call_outcome_totals VALUES ('01a2021a-e10d-78cc-a977-d165076084df', 'month', '2026-11-01 00:00:00+00', 'Outbound', 'failed', 2);
INSERT INTO public.call_outcome_totals VALUES ('01a2021a-e10d-78cc-a977-d165076084df', 'hour', '2026-11-22 07:00:00+00', 'Outbound', 'failed', 2);
INSERT INTO public.call_outcome_totals VALUES ('01a2021a-e10d-78cc-a977-d165076084df', 'half', '2026-11-22 07:00:00+00', 'Outbound', 'failed', 2);
INSERT INTO public.call_totals VALUES ('01a2021a-e10d-78cc-a977-d165076084df', 'day', 'Outbound', '2026-11-22 00:00:00+00', 7);
INSERT INTO public.call_totals VALUES ('01a2021a-e148-72f6-922a-3f7c3fbecad3', 'hour', 'Outbound', '2026-11-22 07:00:00+00', 1);
INSERT INTO public.call_totals VALUES ('01a2021a-e148-72f6-922a-3f7c3fbecad3', 'day', 'Outbound', '2026-11-22 00:00:00+00', 1);
INSERT INTO public.call_totals VALUES ('01a2021a-e10d-78cc-a977-d165076084df', 'hour', 'Outbound', '2026-11-22 07:00:00+00', 7);
INSERT INTO public.call_totals VALUES ('01a2021a-e10d-78cc-a977-d165076084df', 'month', 'Outbound', '2026-11-01 00:00:00+00', 7);
INSERT INTO public.call_totals VALUES ('01a2021a-e148-72f6-922a-3f7c3fbecad3', 'all', 'Outbound', '-infinity', 1);
INSERT INTO public.call_totals VALUES ('01a2021a-e148-72f6-922a-3f7c3fbecad3', 'month', 'Outbound', '2026-11-01 00:00:00+00', 1);
INSERT INTO public.call_totals VALUES ('01a2021a-e10d-78cc-a977-d165076084df', 'all', 'Outbound', '-infinity', 7);
INSERT INTO public.call_transcripts VALUES ('01a2021a-e998-72c4-b2fb-bd0ee9788292', '[{"who": "Assistant", "text": "Hello Ada.", "at_ms": 39}, {"who": "Customer", "text": "[caller spoke, 1.1 s]", "at_ms": 1120}, {"who": "Assistant", "text": "…", "at_ms": 2879}]', '{"forwarded_to": null, "message_left": false, "outcome_named": null, "assistant_broke": false, "customer_active": true, "machine_answered": false, "forwarding_failed": null}', '2026-11-22 07:14:11.943+00');
INSERT INTO public.call_transcripts VALUES ('01a2021a-ea4c-701a-8ea0-a114e4305d16', '[{"who": "Assistant", "text": "Hello.", "at_ms": 20}, {"who": "Customer", "text": "[caller spoke, 1.2 s]", "at_ms": 1081}, {"who": "Assistant", "text": "Bye.", "at_ms": 2741}]', '{"forwarded_to": null, "message_left": false, "outcome_named": null, "assistant_broke": false, "customer_active": true, "machine_answered": false, "forwarding_failed": null}', '2026-11-22 07:14:12.062+00');
INSERT INTO public.call_transcripts VALUES ('01a2021a-ea2e-7784-bc65-eca04db28bee', '[{"who": "Assistant", "text": "I am sorry,…", "at_ms": 3101}]', '{"forwarded_to": null, "message_left": false, "outcome_named": null, "assistant_broke": true, "customer_active": false, "machine_answered": false, "forwarding_failed": null}', '2026-11-22 07:14:12.094+00');
INSERT INTO public.call_transcripts VALUES ('01a2021a-ea7f-7a66-b1c7-22a7c396be26', '[{"who": "Assistant", "text": "I am…", "at_ms": 3141}]', '{"forwarded_to": null, "message_left": false, "outcome_named": null, "assistant_broke": true, "customer_active": false, "machine_answered": false, "forwarding_failed": null}', '2026-11-22 07:14:12.167+00');
INSERT INTO public.callback_tries VALUES ('01a2021a-e9e3-7126-97f3-2302b591c863', 1, '2026-11-22 07:14:08.015+00', 8, 'answered', 204, NULL, false, NULL, NULL, NULL);
INSERT INTO public.callback_tries VALUES ('01a2021a-ea1e-705e-8db2-43d1f37373e7', 1, '2026-11-22 07:14:08.051+00', 10, 'answered', 500, NULL, false, NULL, NULL, NULL);
INSERT INTO public.callback_tries VALUES ('01a2021a-ea1e-705e-8db2-43d1f37373e7', 2, '2026-11-22 07:14:09.068+00', 3, 'answered', 500, NULL, false, NULL, NULL, NULL);
INSERT INTO public.callback_tries VALUES ('01a2021a-e998-72c4-b2fb-bd0ee9788292', 1, '2026-11-22 07:14:11.937+00', 6, 'answered', 204, NULL, false, NULL, NULL, NULL);
INSERT INTO public.callback_tries VALUES ('01a2021a-ea04-7716-a9d0-546704d92560', 1, '2026-11-22 07:14:12.037+00', 5, 'answered', 204, NULL, false, NULL, NULL, NULL);
INSERT INTO public.callback_tries VALUES ('01a2021a-ea4c-701a-8ea0-a114e4305d16', 1, '2026-11-22 07:14:12.075+00', 1, 'answered', 204, NULL, false, NULL, NULL, NULL);
INSERT INTO public.callback_tries VALUES ('01a2021a-ea2e-7784-bc65-eca04db28bee', 1, '2026-11-22 07:14:12.093+00', 3, 'answered', 204, NULL, false, NULL, NULL, NULL);
INSERT INTO public.callback_tries VALUES ('01a2021a-ea1e-705e-8db2-43d1f37373e7', 3, '2026-11-22 07:14:14.074+00', 1, 'answered', 500, NULL, false, NULL, NULL, NULL);
INSERT INTO public.callback_tries VALUES ('01a2021a-ea1e-705e-8db2-43d1f37373e7', 4, '2026-11-22 07:14:44.084+00', 3, 'answered', 500, NULL, false, NULL, NULL, NULL);
INSERT INTO public.callbacks VALUES ('01a2021a-e9e3-7126-97f3-2302b591c863', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', 'http://127.0.0.1:47009/good', '127.0.0.1:47009', '\x7b2263616c6c44657461696c73223a7b226475726174696f6e223a6e756c6c2c22656e6465644174223a22323032362d31312d32325430373a31343a30372e3939395a222c22656e646564526561736f6e223a22637573746f6d65722d62757379222c22737461727465644174223a6e756c6c7d2c22636f6e746163744964223a2230316132303231612d653965332d373763312d396630302d663435326634633633666236222c2264796e616d69635661726961626c6573223a7b226170706f696e746d656e74223a22746f6d6f72726f77227d2c226576656e74223a2263616c6c2e636f6d706c65746564222c226f7574626f756e6443616c6c4964223a2230316132303231612d653965332d373132362d393766332d323330326235393163383633222c22737461747573223a2262757379222c2274696d657374616d70223a22323032362d31312d32325430373a31343a30382e3030315a227d', '2026-11-22 07:14:08.001+00', 'delivered', '2026-11-22 07:14:08.001+00', NULL, NULL, NULL, 1, 0, NULL, NULL);
INSERT INTO public.callbacks VALUES ('01a2021a-e998-72c4-b2fb-bd0ee9788292', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', 'http://127.0.0.1:47009/good', '127.0.0.1:47009', '\x7b2263616c6c44657461696c73223a7b226475726174696f6e223a342c22656e6465644174223a22323032362d31312d32325430373a31343a31312e3931385a222c22656e646564526561736f6e223a22637573746f6d65722d656e6465642d63616c6c222c22737461727465644174223a22323032362d31312d32325430373a31343a30372e3931365a227d2c22636f6e746163744964223a2230316132303231612d653939382d373735612d383938332d626237356133656466366639222c2264796e616d69635661726961626c6573223a7b226170706f696e746d656e74223a22746f6d6f72726f77227d2c226576656e74223a2263616c6c2e636f6d706c65746564222c226f7574626f756e6443616c6c4964223a2230316132303231612d653939382d373263342d623266622d626430656539373838323932222c22737461747573223a22636f6d706c65746564222c2274696d657374616d70223a22323032362d31312d32325430373a31343a31312e3931395a227d', '2026-11-22 07:14:11.919+00', 'delivered', '2026-11-22 07:14:11.919+00', NULL, NULL, NULL, 1, 0, NULL, NULL);
INSERT INTO public.callbacks VALUES ('01a2021a-ea2e-7784-bc65-eca04db28bee', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', 'http://127.0.0.1:47009/good', '127.0.0.1:47009', '\x7b2263616c6c44657461696c73223a7b226475726174696f6e223a342c22656e6465644174223a22323032362d31312d32325430373a31343a31322e3039315a222c22656e646564526561736f6e223a22637573746f6d65722d656e6465642d63616c6c222c22737461727465644174223a22323032362d31312d32325430373a31343a30382e3038385a227d2c22636f6e746163744964223a2230316132303231612d656132652d373738622d623934302d373564613534333165373864222c2264796e616d69635661726961626c6573223a7b226170706f696e746d656e74223a22746f6d6f72726f77227d2c226576656e74223a2263616c6c2e636f6d706c65746564222c226f7574626f756e6443616c6c4964223a2230316132303231612d656132652d373738342d626336352d656361303464623238626565222c22737461747573223a22636f6d706c65746564222c2274696d657374616d70223a22323032362d31312d32325430373a31343a31322e3039315a227d', '2026-11-22 07:14:12.091+00', 'delivered', '2026-11-22 07:14:12.091+00', NULL, NULL, NULL, 1, 0, NULL, NULL);
INSERT INTO public.callbacks VALUES ('01a2021a-ea1e-705e-8db2-43d1f37373e7', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', 'http://127.0.0.1:47009/bad', '127.0.0.1:47009', '\x7b2263616c6c44657461696c73223a7b226475726174696f6e223a6e756c6c2c22656e6465644174223a22323032362d31312d32325430373a31343a30382e3033385a222c22656e646564526561736f6e223a22696e76616c69642d6e756d626572222c22737461727465644174223a6e756c6c7d2c22636f6e746163744964223a2230316132303231612d656131652d376638322d623536352d626233626266643434383063222c2264796e616d69635661726961626c6573223a7b226170706f696e746d656e74223a22746f6d6f72726f77227d2c226576656e74223a2263616c6c2e636f6d706c65746564222c226f7574626f756e6443616c6c4964223a2230316132303231612d656131652d373035652d386462322d343364316633373337336537222c22737461747573223a226661696c6564222c2274696d657374616d70223a22323032362d31312d32325430373a31343a30382e3033385a227d', '2026-11-22 07:14:08.038+00', 'given-up', '2026-11-22 07:14:44.076+00', NULL, NULL, NULL, 4, 0, NULL, NULL);
INSERT INTO public.callbacks VALUES ('01a2021a-ea04-7716-a9d0-546704d92560', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', 'http://127.0.0.1:47009/good', '127.0.0.1:47009', '\x7b2263616c6c44657461696c73223a7b226475726174696f6e223a302c22656e6465644174223a22323032362d31312d32325430373a31343a31322e3033315a222c22656e646564526561736f6e223a226e6f2d616e73776572222c22737461727465644174223a6e756c6c7d2c22636f6e746163744964223a2230316132303231612d656130342d373133642d626332642d356565383162343439663161222c2264796e616d69635661726961626c6573223a7b226170706f696e746d656e74223a22746f6d6f72726f77227d2c226576656e74223a2263616c6c2e636f6d706c65746564222c226f7574626f756e6443616c6c4964223a2230316132303231612d656130342d373731362d613964302d353436373034643932353630222c22737461747573223a226e6f2d616e73776572222c2274696d657374616d70223a22323032362d31312d32325430373a31343a31322e3033315a227d', '2026-11-22 07:14:12.031+00', 'delivered', '2026-11-22 07:14:12.031+00', NULL, NULL, NULL, 1, 0, NULL, NULL);
INSERT INTO public.callbacks VALUES ('01a2021a-ea4c-701a-8ea0-a114e4305d16', '01a2021a-e0d5-7c01-91ec-e21ff3dcdad6', '01a2021a-e148-72f6-922a-3f7c3fbecad3', 'http://127.0.0.1:47009/good', '127.0.0.1:47009', '\x7b2263616c6c44657461696c73223a7b226475726174696f6e223a332c22656e6465644174223a22323032362d31312d32325430373a31343a31322e3036305a222c22656e646564526561736f6e223a22617373697374616e742d656e6465642d63616c6c222c22737461727465644174223a22323032362d31312d32325430373a31343a30382e3131365a227d2c22636f6e746163744964223a2230316132303231612d656134632d373734662d623137302d623763643039663638306165222c2264796e616d69635661726961626c6573223a7b226170706f696e746d656e74223a22746f6d6f72726f77227d2c226576656e74223a2263616c6c2e636f6d706c65746564222c226f7574626f756e6443616c6c4964223a2230316132303231612d656134632d373031612d386561302d613131346534333035643136222c22737461747573223a22636f6d706c65746564222c2274696d657374616d70223a22323032362d31312d32325430373a31343a31322e3036305a227d', '2026-11-22 07:14:12.06+00', 'delivered', '2026-11-22 07:14:12.06+00', NULL, NULL, NULL, 1, 0, NULL, NULL);
INSERT INTO public.calls VALUES ('01a2021a-e9e3-7126-97f3-2302b591c863', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', 'Outbound', '01a2021a-e57d-73f0-aa4f-099283412dc1', '01a2021a-e3fe-7005-90bd-3cbf6dfa3cee', '+14155550123', 'Ada', NULL, '2026-11-22 07:14:07.999+00', NULL, 'customer-busy', NULL, NULL, NULL, NULL, NULL, '2026-11-22 07:14:07.971+00', DEFAULT);
INSERT INTO public.calls VALUES ('01a2021a-ea1e-705e-8db2-43d1f37373e7', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', 'Outbound', '01a2021a-e57d-73f0-aa4f-099283412dc1', '01a2021a-e468-72d6-8a0b-c6f3e94fea6e', '+14155550123', 'Ada', NULL, '2026-11-22 07:14:08.038+00', NULL, 'invalid-number', NULL, NULL, NULL, NULL, NULL, '2026-11-22 07:14:08.03+00', DEFAULT);
INSERT INTO public.calls VALUES ('01a2021a-e998-72c4-b2fb-bd0ee9788292', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', 'Outbound', '01a2021a-e57d-73f0-aa4f-099283412dc1', '01a2021a-e3c8-7400-abd8-09f01a04fa1e', '+14155550123', 'Ada', '2026-11-22 07:14:07.916+00', '2026-11-22 07:14:11.918+00', 4, 'customer-ended-call', NULL, NULL, NULL, 'The customer spoke. The customer hung up after 4 seconds.', 'Le client a parlé. Le client a raccroché après 4 secondes.', '2026-11-22 07:14:07.896+00', DEFAULT);
INSERT INTO public.calls VALUES ('01a2021a-ea04-7716-a9d0-546704d92560', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', 'Outbound', '01a2021a-e57d-73f0-aa4f-099283412dc1', '01a2021a-e435-7f76-a476-5c130dc68f0d', '+14155550123', 'Ada', NULL, '2026-11-22 07:14:12.031+00', NULL, 'no-answer', NULL, NULL, NULL, NULL, NULL, '2026-11-22 07:14:08.004+00', DEFAULT);
INSERT INTO public.calls VALUES ('01a2021a-ea4c-701a-8ea0-a114e4305d16', '01a2021a-e0d5-7c01-91ec-e21ff3dcdad6', '01a2021a-e148-72f6-922a-3f7c3fbecad3', 'Outbound', '01a2021a-e724-7b29-a5fd-bf24bf119f11', '01a2021a-e548-7f48-94c1-f4fbcb38e735', '+14155550123', 'Ada', '2026-11-22 07:14:08.116+00', '2026-11-22 07:14:12.06+00', 3, 'assistant-ended-call', NULL, NULL, NULL, 'The customer spoke. The assistant ended the call after 3 seconds.', 'Le client a parlé. L’assistant a mis fin à l’appel après 3 secondes.', '2026-11-22 07:14:08.076+00', DEFAULT);
INSERT INTO public.calls VALUES ('01a2021a-ea2e-7784-bc65-eca04db28bee', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', 'Outbound', '01a2021a-e5b9-791a-89f2-e7521ed6abb9', '01a2021a-e3c8-7400-abd8-09f01a04fa1e', '+14155550123', 'Ada', '2026-11-22 07:14:08.088+00', '2026-11-22 07:14:12.091+00', 4, 'customer-ended-call', NULL, NULL, 'assistant_error', 'The assistant had a technical fault. The customer hung up after 4 seconds.', 'L’assistant a eu une défaillance technique. Le client a raccroché après 4 secondes.', '2026-11-22 07:14:08.046+00', DEFAULT);
INSERT INTO public.calls VALUES ('01a2021a-ea7f-7a66-b1c7-22a7c396be26', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', 'Outbound', '01a2021a-e668-73d7-a171-8b8ea90aefe4', '01a2021a-e3c8-7400-abd8-09f01a04fa1e', '+14155550123', 'Ada', '2026-11-22 07:14:08.155+00', '2026-11-22 07:14:12.155+00', 4, 'customer-ended-call', NULL, NULL, 'assistant_error', 'The assistant had a technical fault. The customer hung up after 4 seconds.', 'L’assistant a eu une défaillance technique. Le client a raccroché après 4 secondes.', '2026-11-22 07:14:08.127+00', DEFAULT);
INSERT INTO public.calls VALUES ('01a2021a-ea6d-796e-bc11-6f9a692464a4', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', 'Outbound', '01a2021a-e57d-73f0-aa4f-099283412dc1', '01a2021a-e49e-70e8-bc89-1fa878ca6157', '+14155550123', 'Ada', NULL, '2026-11-22 07:14:40.117+00', NULL, 'trunk-unreachable', NULL, NULL, NULL, NULL, NULL, '2026-11-22 07:14:08.109+00', DEFAULT);
INSERT INTO public.contacts VALUES ('01a2021a-e998-775a-8983-bb75a3edf6f9', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', 'Ada', '+14155550123', '2026-11-22 07:14:07.896+00');
INSERT INTO public.contacts VALUES ('01a2021a-e9e3-77c1-9f00-f452f4c63fb6', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', 'Ada', '+14155550123', '2026-11-22 07:14:07.971+00');
INSERT INTO public.contacts VALUES ('01a2021a-ea04-713d-bc2d-5ee81b449f1a', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', 'Ada', '+14155550123', '2026-11-22 07:14:08.004+00');
INSERT INTO public.contacts VALUES ('01a2021a-ea1e-7f82-b565-bb3bbfd4480c', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', 'Ada', '+14155550123', '2026-11-22 07:14:08.03+00');
INSERT INTO public.contacts VALUES ('01a2021a-ea2e-778b-b940-75da5431e78d', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', 'Ada', '+14155550123', '2026-11-22 07:14:08.046+00');
INSERT INTO public.contacts VALUES ('01a2021a-ea4c-774f-b170-b7cd09f680ae', '01a2021a-e0d5-7c01-91ec-e21ff3dcdad6', '01a2021a-e148-72f6-922a-3f7c3fbecad3', 'Ada', '+14155550123', '2026-11-22 07:14:08.076+00');
INSERT INTO public.contacts VALUES ('01a2021a-ea6d-7c2c-a2a7-dadfdd8ab583', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', 'Ada', '+14155550123', '2026-11-22 07:14:08.109+00');
INSERT INTO public.contacts VALUES ('01a2021a-ea7f-7725-8065-07f9e668e596', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', 'Ada', '+14155550123', '2026-11-22 07:14:08.127+00');
INSERT INTO public.nodes VALUES ('01a2021a-def0-7111-86d1-4c32430a9d67', '2026-11-22 07:14:05.457067+00');
INSERT INTO public.numbers VALUES ('01a2021a-e3c8-7400-abd8-09f01a04fa1e', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '01a2021a-e1f3-7885-8212-eff1071b585c', '+14155550100', '2026-11-22 07:14:06.409+00', NULL);
INSERT INTO public.numbers VALUES ('01a2021a-e3fe-7005-90bd-3cbf6dfa3cee', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '01a2021a-e22f-7c68-a47b-92b89ee97f03', '+14155550101', '2026-11-22 07:14:06.462+00', NULL);
INSERT INTO public.numbers VALUES ('01a2021a-e435-7f76-a476-5c130dc68f0d', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '01a2021a-e268-7a53-a02c-a083260ed96a', '+14155550102', '2026-11-22 07:14:06.517+00', NULL);
INSERT INTO public.numbers VALUES ('01a2021a-e468-72d6-8a0b-c6f3e94fea6e', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '01a2021a-e295-72c1-9024-c94abf0c3438', '+14155550103', '2026-11-22 07:14:06.568+00', NULL);
INSERT INTO public.numbers VALUES ('01a2021a-e49e-70e8-bc89-1fa878ca6157', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '01a2021a-e2bd-786a-b1e0-13bfe4ba7e27', '+14155550104', '2026-11-22 07:14:06.622+00', NULL);
INSERT INTO public.numbers VALUES ('01a2021a-e4dc-7ae2-9c3d-940e63c75584', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '01a2021a-e2ec-744d-92b7-cc538da16642', '+14155550105', '2026-11-22 07:14:06.684+00', NULL);
INSERT INTO public.numbers VALUES ('01a2021a-e519-703c-bef0-fa017103e538', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '01a2021a-e345-760d-bd9b-832e73e5654d', '+14155550106', '2026-11-22 07:14:06.745+00', NULL);
INSERT INTO public.numbers VALUES ('01a2021a-e548-7f48-94c1-f4fbcb38e735', '01a2021a-e0d5-7c01-91ec-e21ff3dcdad6', '01a2021a-e148-72f6-922a-3f7c3fbecad3', '01a2021a-e389-7c07-8c4b-e0478d0f1ae5', '+14155550107', '2026-11-22 07:14:06.792+00', NULL);
INSERT INTO public.one_time_links VALUES ('\xb2d366afe5cb797342d22645a90e5e01397753fab4c3130f4cd59b11f7b54e20', '01a2021a-e924-7a93-9014-2231604cafa3', '2026-11-22 07:14:07.78+00', '2026-11-29 07:14:07.78+00');
INSERT INTO public.organization_metadata VALUES ('01a2021a-e10d-78cc-a977-d165076084df', 1, '01a2021a-e10d-716a-92b2-20127ca04a32', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '{}', '2026-11-22 07:14:05.709+00', 'operator');
INSERT INTO public.organization_metadata VALUES ('01a2021a-e148-72f6-922a-3f7c3fbecad3', 1, '01a2021a-e148-7b29-86f8-0872bc2b4961', '01a2021a-e0d5-7c01-91ec-e21ff3dcdad6', '{}', '2026-11-22 07:14:05.768+00', 'operator');
INSERT INTO public.organization_metadata VALUES ('01a2021a-e184-7c25-a96c-28e826e6b7d1', 1, '01a2021a-e184-73de-83bb-7eda702a595d', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '{}', '2026-11-22 07:14:05.828+00', 'operator');
INSERT INTO public.organizations VALUES ('01a2021a-e10d-78cc-a977-d165076084df', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', 'Clinic', 'desk@example.com', NULL, '', '', '', '', '', '', 'America/Toronto', NULL, 'operator', 'operator', NULL, '2026-11-22 07:14:05.709+00', '2026-11-22 07:14:05.709+00', NULL, 'clinic');
INSERT INTO public.organizations VALUES ('01a2021a-e148-72f6-922a-3f7c3fbecad3', '01a2021a-e0d5-7c01-91ec-e21ff3dcdad6', 'Bakery', 'oven@example.com', NULL, '', '', '', '', '', '', 'America/Toronto', NULL, 'operator', 'operator', NULL, '2026-11-22 07:14:05.768+00', '2026-11-22 07:14:05.768+00', NULL, 'bakery');
INSERT INTO public.organizations VALUES ('01a2021a-e184-7c25-a96c-28e826e6b7d1', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', 'Closed', 'closed@example.com', NULL, '', '', '', '', '', '', 'America/Toronto', NULL, 'operator', 'operator', 'operator', '2026-11-22 07:14:05.828+00', '2026-11-22 07:14:05.888+00', '2026-11-22 07:14:05.888+00', 'closed');
INSERT INTO public.outbound_calls VALUES ('01a2021a-e9e3-7126-97f3-2302b591c863', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '01a2021a-e9e3-77c1-9f00-f452f4c63fb6', '01a2021a-e22f-7c68-a47b-92b89ee97f03', '{"appointment": "tomorrow"}', 'http://127.0.0.1:47009/good', 'busy', 486, 'Busy Here');
INSERT INTO public.outbound_calls VALUES ('01a2021a-ea1e-705e-8db2-43d1f37373e7', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '01a2021a-ea1e-7f82-b565-bb3bbfd4480c', '01a2021a-e295-72c1-9024-c94abf0c3438', '{"appointment": "tomorrow"}', 'http://127.0.0.1:47009/bad', 'failed', 404, 'Not Found');
INSERT INTO public.outbound_calls VALUES ('01a2021a-e998-72c4-b2fb-bd0ee9788292', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '01a2021a-e998-775a-8983-bb75a3edf6f9', '01a2021a-e1f3-7885-8212-eff1071b585c', '{"appointment": "tomorrow"}', 'http://127.0.0.1:47009/good', 'completed', NULL, NULL);
INSERT INTO public.outbound_calls VALUES ('01a2021a-ea04-7716-a9d0-546704d92560', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '01a2021a-ea04-713d-bc2d-5ee81b449f1a', '01a2021a-e268-7a53-a02c-a083260ed96a', '{"appointment": "tomorrow"}', 'http://127.0.0.1:47009/good', 'no-answer', NULL, NULL);
INSERT INTO public.outbound_calls VALUES ('01a2021a-ea4c-701a-8ea0-a114e4305d16', '01a2021a-e0d5-7c01-91ec-e21ff3dcdad6', '01a2021a-e148-72f6-922a-3f7c3fbecad3', '01a2021a-ea4c-774f-b170-b7cd09f680ae', '01a2021a-e389-7c07-8c4b-e0478d0f1ae5', '{"appointment": "tomorrow"}', 'http://127.0.0.1:47009/good', 'completed', NULL, NULL);
INSERT INTO public.outbound_calls VALUES ('01a2021a-ea2e-7784-bc65-eca04db28bee', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '01a2021a-ea2e-778b-b940-75da5431e78d', '01a2021a-e1f3-7885-8212-eff1071b585c', '{"appointment": "tomorrow"}', 'http://127.0.0.1:47009/good', 'completed', NULL, NULL);
INSERT INTO public.outbound_calls VALUES ('01a2021a-ea7f-7a66-b1c7-22a7c396be26', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '01a2021a-ea7f-7725-8065-07f9e668e596', '01a2021a-e1f3-7885-8212-eff1071b585c', '{"appointment": "tomorrow"}', NULL, 'completed', NULL, NULL);
INSERT INTO public.outbound_calls VALUES ('01a2021a-ea6d-796e-bc11-6f9a692464a4', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '01a2021a-ea6d-7c2c-a2a7-dadfdd8ab583', '01a2021a-e2bd-786a-b1e0-13bfe4ba7e27', '{"appointment": "tomorrow"}', NULL, 'failed', NULL, NULL);
INSERT INTO public.signing_secrets VALUES ('01a2021a-e10d-711c-b5bf-8bdb524a639e', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', '\x01f94852d0a9eca22f9b10513d497d4a3e130d66fd7b8c316b53a4162fed1a8101063530e5e589dc13865da5579f37ca135462ea0bf899a49613c7d492aee2b2829ec24d6c14e628ec', '2026-11-22 07:14:05.723116+00', NULL);
INSERT INTO public.signing_secrets VALUES ('01a2021a-e148-7569-81f5-109df8c292fb', '01a2021a-e0d5-7c01-91ec-e21ff3dcdad6', '01a2021a-e148-72f6-922a-3f7c3fbecad3', '\x016fe1dec7fc19628ffc655d8ab964ccc2da02c7bf9e70fb13b657ee7f8be7439f9616b82490049f3346869509456b7ae7e0f6504bbdf3beb48964845e207cd81839b30f82224716a4', '2026-11-22 07:14:05.779215+00', NULL);
INSERT INTO public.signing_secrets VALUES ('01a2021a-e184-7bbd-8586-9384e89158f3', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e184-7c25-a96c-28e826e6b7d1', '\x01a792cc1c92ce0d0379538c77965ac1129f8327a0f5ac3147e0b08f2722226cfe835dc6d2f47e24a9798510ac21f94dd31e522135b8456320f349a8cf427235ef242dcfad2470709f', '2026-11-22 07:14:05.840156+00', NULL);
INSERT INTO public.tenants VALUES ('01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', 'North', '2026-11-22 07:14:05.581+00');
INSERT INTO public.tenants VALUES ('01a2021a-e0d5-7c01-91ec-e21ff3dcdad6', 'South', '2026-11-22 07:14:05.653+00');
INSERT INTO public.trunk_lines VALUES ('01a2021a-e1f3-7885-8212-eff1071b585c', 4, NULL);
INSERT INTO public.trunk_lines VALUES ('01a2021a-e1f3-7885-8212-eff1071b585c', 5, NULL);
INSERT INTO public.trunk_lines VALUES ('01a2021a-e1f3-7885-8212-eff1071b585c', 1, NULL);
INSERT INTO public.trunk_lines VALUES ('01a2021a-e1f3-7885-8212-eff1071b585c', 2, NULL);
INSERT INTO public.trunk_lines VALUES ('01a2021a-e1f3-7885-8212-eff1071b585c', 3, NULL);
INSERT INTO public.trunks VALUES ('01a2021a-e1f3-7885-8212-eff1071b585c', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', 'main', '127.0.0.1', 47002, 'udp', 'alice', '\x01a6bcf6d3e080d963c6cb6d5dc455bf52b6f216841a864f5aea1f01d487e76143732867fa9040cded676cc9b4121e', false, NULL, NULL, 5, NULL, '2026-11-22 07:14:05.939+00', false, 'off', NULL, false);
INSERT INTO public.trunks VALUES ('01a2021a-e22f-7c68-a47b-92b89ee97f03', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', 'busy', '127.0.0.1', 47003, 'udp', NULL, NULL, false, NULL, NULL, NULL, NULL, '2026-11-22 07:14:05.999+00', false, 'off', NULL, false);
INSERT INTO public.trunks VALUES ('01a2021a-e268-7a53-a02c-a083260ed96a', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', 'silent', '127.0.0.1', 47004, 'udp', NULL, NULL, false, NULL, NULL, NULL, NULL, '2026-11-22 07:14:06.056+00', false, 'off', NULL, false);
INSERT INTO public.trunks VALUES ('01a2021a-e295-72c1-9024-c94abf0c3438', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', 'unknown', '127.0.0.1', 47005, 'udp', NULL, NULL, false, NULL, NULL, NULL, NULL, '2026-11-22 07:14:06.101+00', false, 'off', NULL, false);
INSERT INTO public.trunks VALUES ('01a2021a-e2bd-786a-b1e0-13bfe4ba7e27', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', 'encrypted', '127.0.0.1', 47006, 'udp', NULL, NULL, false, NULL, NULL, NULL, NULL, '2026-11-22 07:14:06.141+00', false, 'required', NULL, false);
INSERT INTO public.trunks VALUES ('01a2021a-e345-760d-bd9b-832e73e5654d', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', 'secured', 'sips.invalid', 5061, 'tls', 'carol', '\x01cf470a04912b05d115cf1b28d45dd281f0fac9249b969dd19cfbadb609ffd12db3a245dbc7ca9406695638b5dd98', false, NULL, NULL, NULL, NULL, '2026-11-22 07:14:06.277+00', false, 'required', NULL, false);
INSERT INTO public.trunks VALUES ('01a2021a-e389-7c07-8c4b-e0478d0f1ae5', '01a2021a-e0d5-7c01-91ec-e21ff3dcdad6', 'south', '127.0.0.1', 47002, 'udp', NULL, NULL, false, 'south.example.com', '1', NULL, 10, '2026-11-22 07:14:06.345+00', false, 'off', NULL, false);
INSERT INTO public.trunks VALUES ('01a2021a-e2ec-744d-92b7-cc538da16642', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', 'guarded', 'trunk.invalid', NULL, 'udp', 'bob', '\x014637b690c232ec024dfa456c2030b75a2dfe218130822f147a01e8dbe6914e3c1d8195139d8e940cba66af793ecf', false, NULL, NULL, NULL, NULL, '2026-11-22 07:14:06.188+00', true, 'off', NULL, true);
INSERT INTO public.users VALUES ('01a2021a-e858-7f46-b6a5-c62c80364888', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', NULL, 'admin@example.com', 'admin@example.com', 'admin', '$argon2id$v=19$m=19456,t=2,p=1$KentVCXi823Tkrv1MrYzBw$nLf6gu6Y6vGS3imZgJg8G4GrD2lCTwRTiW0vqDjCJ+M', '2026-11-22 07:14:07.576+00', NULL, NULL);
INSERT INTO public.users VALUES ('01a2021a-e8d1-7c35-91e5-cd13a559441d', '01a2021a-e08d-7e3d-aac1-2e9fdfa0ee92', '01a2021a-e10d-78cc-a977-d165076084df', 'viewer@example.com', 'viewer@example.com', 'viewer', '$argon2id$v=19$m=19456,t=2,p=1$YaIielTsKezLA3BRf+RGmQ$7D140RcoCdyaDdYIAd4GPah3c/e61j3ubuWMPW3ZRPk', '2026-11-22 07:14:07.697+00', NULL, NULL);
INSERT INTO public.users VALUES ('01a2021a-e924-7a93-9014-2231604cafa3', '01a2021a-e0d5-7c01-91ec-e21ff3dcdad6', NULL, 'invited@example.com', 'invited@example.com', 'admin', NULL, '2026-11-22 07:14:07.78+00', NULL, NULL);
SELECT pg_catalog.setval('public.node_commands_id_seq', 1, false);
ALTER TABLE ONLY public.__diesel_schema_migrations
    ADD CONSTRAINT __diesel_schema_migrations_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.analyses
    ADD CONSTRAINT analyses_pkey PRIMARY KEY (call_id);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_digest_key UNIQUE (digest);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.assistants
    ADD CONSTRAINT assistants_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.assistants
    ADD CONSTRAINT assistants_tenant_id_organization_id_id_key UNIQUE (tenant_id, organization_id, id);
ALTER TABLE ONLY public.audit_entries
    ADD CONSTRAINT audit_entries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.boots
    ADD CONSTRAINT boots_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.call_artifacts
    ADD CONSTRAINT call_artifacts_pkey PRIMARY KEY (call_id, kind);
ALTER TABLE ONLY public.call_legs
    ADD CONSTRAINT call_legs_pkey PRIMARY KEY (call_id, leg);
ALTER TABLE ONLY public.call_outcome_totals
    ADD CONSTRAINT call_outcome_totals_pkey PRIMARY KEY (organization_id, span, starts, call_type, status) INCLUDE (calls);
ALTER TABLE ONLY public.call_totals
    ADD CONSTRAINT call_totals_pkey PRIMARY KEY (organization_id, span, call_type, starts);
ALTER TABLE ONLY public.call_transcripts
    ADD CONSTRAINT call_transcripts_pkey PRIMARY KEY (call_id);
ALTER TABLE ONLY public.callback_tries
    ADD CONSTRAINT callback_tries_pkey PRIMARY KEY (call_id, try);
ALTER TABLE ONLY public.callbacks
    ADD CONSTRAINT callbacks_pkey PRIMARY KEY (call_id);
ALTER TABLE ONLY public.calls
    ADD CONSTRAINT calls_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.contacts
    ADD CONSTRAINT contacts_pkey PRIMARY KEY (tenant_id, organization_id, id);
ALTER TABLE ONLY public.forgotten_keys
    ADD CONSTRAINT forgotten_keys_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.metadata_schemas
    ADD CONSTRAINT metadata_schemas_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.node_commands
    ADD CONSTRAINT node_commands_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.nodes
    ADD CONSTRAINT nodes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.numbers
    ADD CONSTRAINT numbers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.numbers
    ADD CONSTRAINT numbers_tenant_id_organization_id_id_key UNIQUE (tenant_id, organization_id, id);
ALTER TABLE ONLY public.one_time_links
    ADD CONSTRAINT one_time_links_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY public.organization_metadata
    ADD CONSTRAINT organization_metadata_pkey PRIMARY KEY (organization_id, version);
ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_tenant_id_id_key UNIQUE (tenant_id, id);
ALTER TABLE ONLY public.outbound_calls
    ADD CONSTRAINT outbound_calls_pkey PRIMARY KEY (call_id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY public.sign_in_failures
    ADD CONSTRAINT sign_in_failures_pkey PRIMARY KEY (subject);
ALTER TABLE ONLY public.signing_secrets
    ADD CONSTRAINT signing_secrets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.teams
    ADD CONSTRAINT teams_organization_id_name_key UNIQUE (organization_id, name);
ALTER TABLE ONLY public.teams
    ADD CONSTRAINT teams_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.teams
    ADD CONSTRAINT teams_tenant_id_organization_id_id_key UNIQUE (tenant_id, organization_id, id);
ALTER TABLE ONLY public.tenants
    ADD CONSTRAINT tenants_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.trunk_lines
    ADD CONSTRAINT trunk_lines_pkey PRIMARY KEY (trunk_id, line);
ALTER TABLE ONLY public.trunks
    ADD CONSTRAINT trunks_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.trunks
    ADD CONSTRAINT trunks_tenant_id_id_key UNIQUE (tenant_id, id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
CREATE INDEX analyses_due ON public.analyses USING btree (due_at, call_id) WHERE (state = 'due'::text);
CREATE INDEX api_keys_by_creation ON public.api_keys USING btree (tenant_id, created_at, id);
CREATE INDEX api_keys_live ON public.api_keys USING btree (organization_id) WHERE (revoked_at IS NULL);
CREATE INDEX assistants_of_organization ON public.assistants USING btree (organization_id, name);
CREATE INDEX audit_entries_of_organization ON public.audit_entries USING btree (organization_id, at, id);
CREATE INDEX audit_entries_of_tenant ON public.audit_entries USING btree (tenant_id, at, id);
CREATE INDEX boots_present ON public.boots USING btree (node_id) WHERE (left_at IS NULL);
CREATE INDEX call_counts_by_hour ON public.call_counts USING btree (organization_id, call_type, hour) INCLUDE (calls);
CREATE INDEX call_legs_live ON public.call_legs USING btree (owner, call_id) WHERE (state <> 'ended'::text);
CREATE INDEX call_outcomes_by_time ON public.call_outcomes USING btree (organization_id, half_hour) INCLUDE (call_type, status, calls);
CREATE INDEX callbacks_by_state ON public.callbacks USING btree (organization_id, state, call_id);
CREATE INDEX callbacks_claimed ON public.callbacks USING btree (claimed_by) WHERE (claimed_by IS NOT NULL);
CREATE INDEX callbacks_of_organization ON public.callbacks USING btree (organization_id, call_id);
CREATE INDEX callbacks_ready ON public.callbacks USING btree (COALESCE(lease_until, due_at)) WHERE (state = 'pending'::text);
CREATE INDEX calls_by_assistant ON public.calls USING btree (organization_id, assistant_id, created_at, id) INCLUDE (call_type, duration_seconds);
CREATE INDEX calls_by_creation ON public.calls USING btree (organization_id, created_at, id);
CREATE INDEX calls_by_duration ON public.calls USING btree (organization_id, duration_seconds, id) INCLUDE (call_type, created_at, standing);
CREATE INDEX calls_by_intent ON public.calls USING btree (organization_id, upper((user_primary_intent COLLATE "und-x-icu")) COLLATE "C", created_at, id) INCLUDE (user_primary_intent, call_type, assistant_id, duration_seconds) WHERE (user_primary_intent IS NOT NULL);
CREATE INDEX calls_by_standing ON public.calls USING btree (organization_id, standing, created_at, id) INCLUDE (call_type, assistant_id);
CREATE INDEX calls_by_type ON public.calls USING btree (organization_id, call_type, created_at, id);
CREATE INDEX idempotency_keys_by_age ON public.idempotency_keys USING btree (created_at);
CREATE UNIQUE INDEX idempotency_keys_taken ON public.idempotency_keys USING btree (tenant_id, organization_id, operation, key) NULLS NOT DISTINCT;
CREATE UNIQUE INDEX metadata_schemas_in_force ON public.metadata_schemas USING btree (tenant_id, organization_id) NULLS NOT DISTINCT;
CREATE INDEX node_commands_of_boot ON public.node_commands USING btree (boot_id);
CREATE INDEX numbers_of_organization ON public.numbers USING btree (organization_id, created_at, id) WHERE (retired_at IS NULL);
CREATE INDEX one_time_links_by_expiry ON public.one_time_links USING btree (expires_at);
CREATE UNIQUE INDEX one_time_links_of_set_up ON public.one_time_links USING btree (((user_id IS NULL))) WHERE (user_id IS NULL);
CREATE UNIQUE INDEX one_time_links_of_user ON public.one_time_links USING btree (user_id);
CREATE INDEX organizations_by_change ON public.organizations USING btree (tenant_id, updated_at, id) WHERE (deleted_at IS NULL);
CREATE INDEX organizations_by_city ON public.organizations USING btree (tenant_id, city COLLATE "C", id) WHERE (deleted_at IS NULL);
CREATE INDEX organizations_by_country ON public.organizations USING btree (tenant_id, country COLLATE "C", id) WHERE (deleted_at IS NULL);
CREATE INDEX organizations_by_creation ON public.organizations USING btree (tenant_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE INDEX organizations_by_email ON public.organizations USING btree (tenant_id, email COLLATE "C", id) WHERE (deleted_at IS NULL);
CREATE INDEX organizations_by_name ON public.organizations USING btree (tenant_id, name COLLATE "C", id) WHERE (deleted_at IS NULL);
CREATE INDEX sessions_by_expiry ON public.sessions USING btree (expires_at);
CREATE INDEX sessions_of_user ON public.sessions USING btree (user_id);
CREATE INDEX sign_in_failures_by_age ON public.sign_in_failures USING btree (GREATEST(last_at, known_until));
CREATE UNIQUE INDEX signing_secrets_current ON public.signing_secrets USING btree (organization_id) WHERE (expires_at IS NULL);
CREATE UNIQUE INDEX signing_secrets_previous ON public.signing_secrets USING btree (organization_id) WHERE (expires_at IS NOT NULL);
CREATE INDEX trunk_lines_free ON public.trunk_lines USING btree (trunk_id, line) WHERE (call_id IS NULL);
CREATE UNIQUE INDEX trunk_lines_taken ON public.trunk_lines USING btree (call_id) WHERE (call_id IS NOT NULL);
CREATE INDEX trunks_of_tenant ON public.trunks USING btree (tenant_id, created_at, id) WHERE (retired_at IS NULL);
CREATE UNIQUE INDEX users_by_email ON public.users USING btree (email_folded) WHERE (removed_at IS NULL);
CREATE INDEX users_of_tenant ON public.users USING btree (tenant_id, created_at, id) WHERE (removed_at IS NULL);
CREATE TRIGGER assistants_refuse_forgotten_keys BEFORE INSERT OR UPDATE OF realtime_key, chat_key, transcription_key, speech_key ON public.assistants FOR EACH ROW EXECUTE FUNCTION public.refuse_forgotten_keys('realtime_key', 'chat_key', 'transcription_key', 'speech_key');
CREATE TRIGGER calls_count_outcome AFTER INSERT ON public.calls FOR EACH ROW WHEN ((new.ended_reason IS NOT NULL)) EXECUTE FUNCTION public.count_call_outcome();
CREATE TRIGGER calls_count_outcome_later AFTER UPDATE OF ended_reason ON public.calls FOR EACH ROW WHEN (((old.ended_reason IS NULL) AND (new.ended_reason IS NOT NULL))) EXECUTE FUNCTION public.count_call_outcome();
CREATE TRIGGER signing_secrets_refuse_forgotten_keys BEFORE INSERT OR UPDATE OF secret ON public.signing_secrets FOR EACH ROW EXECUTE FUNCTION public.refuse_forgotten_keys('secret');
CREATE TRIGGER trunks_refuse_forgotten_keys BEFORE INSERT OR UPDATE OF password ON public.trunks FOR EACH ROW EXECUTE FUNCTION public.refuse_forgotten_keys('password');
ALTER TABLE ONLY public.analyses
    ADD CONSTRAINT analyses_call_id_fkey FOREIGN KEY (call_id) REFERENCES public.call_transcripts(call_id);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_tenant_id_organization_id_fkey FOREIGN KEY (tenant_id, organization_id) REFERENCES public.organizations(tenant_id, id);
ALTER TABLE ONLY public.assistants
    ADD CONSTRAINT assistants_tenant_id_organization_id_fkey FOREIGN KEY (tenant_id, organization_id) REFERENCES public.organizations(tenant_id, id);
ALTER TABLE ONLY public.assistants
    ADD CONSTRAINT assistants_tenant_id_organization_id_team_id_fkey FOREIGN KEY (tenant_id, organization_id, team_id) REFERENCES public.teams(tenant_id, organization_id, id);
ALTER TABLE ONLY public.audit_entries
    ADD CONSTRAINT audit_entries_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
ALTER TABLE ONLY public.audit_entries
    ADD CONSTRAINT audit_entries_tenant_id_organization_id_fkey FOREIGN KEY (tenant_id, organization_id) REFERENCES public.organizations(tenant_id, id);
ALTER TABLE ONLY public.boots
    ADD CONSTRAINT boots_node_id_fkey FOREIGN KEY (node_id) REFERENCES public.nodes(id);
ALTER TABLE ONLY public.call_artifacts
    ADD CONSTRAINT call_artifacts_call_id_fkey FOREIGN KEY (call_id) REFERENCES public.calls(id);
ALTER TABLE ONLY public.call_legs
    ADD CONSTRAINT call_legs_call_id_fkey FOREIGN KEY (call_id) REFERENCES public.outbound_calls(call_id);
ALTER TABLE ONLY public.call_legs
    ADD CONSTRAINT call_legs_owner_fkey FOREIGN KEY (owner) REFERENCES public.boots(id);
ALTER TABLE ONLY public.call_legs
    ADD CONSTRAINT call_legs_trunk_id_fkey FOREIGN KEY (trunk_id) REFERENCES public.trunks(id);
ALTER TABLE ONLY public.call_transcripts
    ADD CONSTRAINT call_transcripts_call_id_fkey FOREIGN KEY (call_id) REFERENCES public.calls(id);
ALTER TABLE ONLY public.callback_tries
    ADD CONSTRAINT callback_tries_call_id_fkey FOREIGN KEY (call_id) REFERENCES public.callbacks(call_id);
ALTER TABLE ONLY public.callbacks
    ADD CONSTRAINT callbacks_call_id_fkey FOREIGN KEY (call_id) REFERENCES public.outbound_calls(call_id);
ALTER TABLE ONLY public.callbacks
    ADD CONSTRAINT callbacks_tenant_id_organization_id_fkey FOREIGN KEY (tenant_id, organization_id) REFERENCES public.organizations(tenant_id, id);
ALTER TABLE ONLY public.calls
    ADD CONSTRAINT calls_tenant_id_organization_id_assistant_id_fkey FOREIGN KEY (tenant_id, organization_id, assistant_id) REFERENCES public.assistants(tenant_id, organization_id, id);
ALTER TABLE ONLY public.calls
    ADD CONSTRAINT calls_tenant_id_organization_id_fkey FOREIGN KEY (tenant_id, organization_id) REFERENCES public.organizations(tenant_id, id);
ALTER TABLE ONLY public.calls
    ADD CONSTRAINT calls_tenant_id_organization_id_number_id_fkey FOREIGN KEY (tenant_id, organization_id, number_id) REFERENCES public.numbers(tenant_id, organization_id, id);
ALTER TABLE ONLY public.contacts
    ADD CONSTRAINT contacts_tenant_id_organization_id_fkey FOREIGN KEY (tenant_id, organization_id) REFERENCES public.organizations(tenant_id, id);
ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_tenant_id_organization_id_fkey FOREIGN KEY (tenant_id, organization_id) REFERENCES public.organizations(tenant_id, id);
ALTER TABLE ONLY public.metadata_schemas
    ADD CONSTRAINT metadata_schemas_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
ALTER TABLE ONLY public.metadata_schemas
    ADD CONSTRAINT metadata_schemas_tenant_id_organization_id_fkey FOREIGN KEY (tenant_id, organization_id) REFERENCES public.organizations(tenant_id, id);
ALTER TABLE ONLY public.node_commands
    ADD CONSTRAINT node_commands_boot_id_fkey FOREIGN KEY (boot_id) REFERENCES public.boots(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.numbers
    ADD CONSTRAINT numbers_tenant_id_organization_id_fkey FOREIGN KEY (tenant_id, organization_id) REFERENCES public.organizations(tenant_id, id);
ALTER TABLE ONLY public.numbers
    ADD CONSTRAINT numbers_tenant_id_trunk_id_fkey FOREIGN KEY (tenant_id, trunk_id) REFERENCES public.trunks(tenant_id, id);
ALTER TABLE ONLY public.one_time_links
    ADD CONSTRAINT one_time_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.organization_metadata
    ADD CONSTRAINT organization_metadata_tenant_id_organization_id_fkey FOREIGN KEY (tenant_id, organization_id) REFERENCES public.organizations(tenant_id, id);
ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
ALTER TABLE ONLY public.outbound_calls
    ADD CONSTRAINT outbound_calls_call_id_fkey FOREIGN KEY (call_id) REFERENCES public.calls(id);
ALTER TABLE ONLY public.outbound_calls
    ADD CONSTRAINT outbound_calls_tenant_id_organization_id_contact_id_fkey FOREIGN KEY (tenant_id, organization_id, contact_id) REFERENCES public.contacts(tenant_id, organization_id, id);
ALTER TABLE ONLY public.outbound_calls
    ADD CONSTRAINT outbound_calls_tenant_id_trunk_id_fkey FOREIGN KEY (tenant_id, trunk_id) REFERENCES public.trunks(tenant_id, id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.signing_secrets
    ADD CONSTRAINT signing_secrets_tenant_id_organization_id_fkey FOREIGN KEY (tenant_id, organization_id) REFERENCES public.organizations(tenant_id, id);
ALTER TABLE ONLY public.teams
    ADD CONSTRAINT teams_tenant_id_organization_id_fkey FOREIGN KEY (tenant_id, organization_id) REFERENCES public.organizations(tenant_id, id);
ALTER TABLE ONLY public.trunk_lines
    ADD CONSTRAINT trunk_lines_call_id_fkey FOREIGN KEY (call_id) REFERENCES public.outbound_calls(call_id);
ALTER TABLE ONLY public.trunk_lines
    ADD CONSTRAINT trunk_lines_trunk_id_fkey FOREIGN KEY (trunk_id) REFERENCES public.trunks(id);
ALTER TABLE ONLY public.trunks
    ADD CONSTRAINT trunks_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_tenant_id_organization_id_fkey FOREIGN KEY (tenant_id, organization_id) REFERENCES public.organizations(tenant_id, id);
