DROP TABLE audit_entries;
DROP TABLE sign_in_failures;
DROP TABLE one_time_links;
DROP TABLE sessions;
DROP TABLE users;
