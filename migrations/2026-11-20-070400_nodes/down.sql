DROP TABLE node_commands;
DROP TABLE boots;
DROP TABLE nodes;
