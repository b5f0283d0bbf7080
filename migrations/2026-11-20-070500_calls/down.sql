DROP TABLE call_counts;
DROP TABLE trunk_lines;
DROP TABLE call_legs;
DROP TABLE outbound_calls;
DROP TABLE calls;
DROP TABLE contacts;
