DELETE FROM sign_in_failures WHERE subject LIKE 'known:%';

-- Loses users: of several with one e-mail address the oldest stays, whichever tenant it is in. All others are
-- removed with their sessions and links, and going up again does not bring them back.
CREATE TEMPORARY TABLE surplus_users ON COMMIT DROP AS
SELECT u.id FROM users u
WHERE u.removed_at IS NULL AND EXISTS (
    SELECT 1 FROM users older
    WHERE older.email_folded = u.email_folded AND older.removed_at IS NULL
        AND (older.created_at, older.id) < (u.created_at, u.id)
);
DELETE FROM sessions WHERE user_id IN (SELECT id FROM surplus_users);
DELETE FROM one_time_links WHERE user_id IN (SELECT id FROM surplus_users);
UPDATE users SET removed_at = now() WHERE id IN (SELECT id FROM surplus_users);

DROP INDEX users_by_email;
DROP INDEX users_by_tenant_and_email;
CREATE UNIQUE INDEX users_by_email ON users (email_folded) WHERE removed_at IS NULL;
