SELECT * FROM main."PRAGMA_optimize"
