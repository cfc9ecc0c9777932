-- Keys are read in the order in which a storage lists them, by code point.
alter table objects alter column key type text collate "C";
