DROP TABLE analyses;
DROP TABLE call_artifacts;
DROP TABLE call_transcripts;
