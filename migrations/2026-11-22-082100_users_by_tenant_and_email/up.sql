-- An e-mail address may belong to a user of each tenant: whether another tenant has one shows nowhere.
DROP INDEX users_by_email;
CREATE UNIQUE INDEX users_by_tenant_and_email ON users (tenant_id, email_folded) WHERE removed_at IS NULL;
CREATE INDEX users_by_email ON users (email_folded) WHERE removed_at IS NULL;

-- Who is known where is told of users ('known:', an IP address and the user's id), no longer of e-mail addresses.
INSERT INTO sign_in_failures (subject, failures, last_at, known_until)
SELECT 'known:' || split_part(f.subject, ' ', 1) || ' ' || u.id, 0, f.last_at, f.known_until
FROM (
    SELECT substr(subject, length('account-from:') + 1) AS subject, last_at, known_until
    FROM sign_in_failures WHERE subject LIKE 'account-from:%' AND known_until IS NOT NULL
) f
JOIN users u ON u.email_folded = substr(f.subject, strpos(f.subject, ' ') + 1) AND u.removed_at IS NULL
ON CONFLICT (subject) DO NOTHING;
