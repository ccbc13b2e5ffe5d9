CREATE TABLE breeds (breed_cd TEXT PRIMARY KEY, descr TEXT NOT NULL);
CREATE TABLE riders (rider_no INTEGER PRIMARY KEY, surname TEXT NOT NULL, first_nm TEXT, town TEXT, email TEXT, reg_dt TEXT NOT NULL);
CREATE TABLE horses (horse_id INTEGER PRIMARY KEY, horse_name TEXT NOT NULL, breed_cd TEXT NOT NULL REFERENCES breeds (breed_cd), retired_on TEXT);
CREATE TABLE coaches (coach_id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, role TEXT, -- INS instructor, GRM groom
  hired_on TEXT);
CREATE TABLE lessons (lesson_id INTEGER PRIMARY KEY, rider_no INTEGER NOT NULL REFERENCES riders (rider_no), horse_id INTEGER REFERENCES horses (horse_id),
  coach_id INTEGER REFERENCES coaches (coach_id), lesson_ts TEXT NOT NULL, st TEXT NOT NULL, -- PL planned, DN done, NS no-show, CX cancelled
  booked_via TEXT);
CREATE TABLE fees (fee_id INTEGER PRIMARY KEY, lesson_id INTEGER NOT NULL REFERENCES lessons (lesson_id), due_on TEXT NOT NULL, amt NUMERIC(8,2) NOT NULL);
CREATE TABLE receipts (receipt_id INTEGER PRIMARY KEY, fee_id INTEGER NOT NULL REFERENCES fees (fee_id), received_on TEXT NOT NULL, method TEXT);
INSERT INTO breeds VALUES ('CON', 'Connemara'), ('HAF', 'Haflinger'), ('ICE', 'Icelandic');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
INSERT INTO riders SELECT i, 'Surname' || i, 'First' || (i % 9), CASE i % 3 WHEN 0 THEN 'Hexham' WHEN 1 THEN 'Alston' ELSE 'Wark' END, CASE WHEN i % 4 THEN 'r' || i || '@stable.example' END, date('2023-01-10', '+' || (i * 30) || ' days') FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
INSERT INTO horses SELECT i, 'Horse ' || i, CASE WHEN i % 5 = 0 THEN 'ICE' WHEN i % 2 THEN 'CON' ELSE 'HAF' END, CASE WHEN i % 6 = 0 THEN '2025-03-01' END FROM n;
INSERT INTO coaches VALUES (1, 'Ada Bell', 'INS', '2019-01-01'), (2, 'Ben Cole', 'INS', '2020-05-01'), (3, 'Cy Dunn', 'GRM', '2021-02-01'), (4, 'Di Elm', 'INS', '2022-02-01');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
INSERT INTO lessons SELECT i, i % 29 + 1, i % 12 + 1, CASE WHEN i % 3 = 0 THEN 1 ELSE 2 END, datetime('2024-01-01 09:00:00', '+' || i || ' days', '+' || (i % 8) || ' hours'),
  CASE WHEN i % 11 = 0 THEN 'NS' WHEN i % 13 = 0 THEN 'CX' WHEN i > 590 THEN 'PL' ELSE 'DN' END, CASE i % 3 WHEN 0 THEN 'web' WHEN 1 THEN 'phone' ELSE 'desk' END FROM n;
INSERT INTO fees SELECT lesson_id, lesson_id, date(lesson_ts, '+14 days'), 20 + lesson_id % 7 FROM lessons WHERE st <> 'CX';
INSERT INTO receipts SELECT fee_id, fee_id, date(due_on, CASE WHEN fee_id % 4 = 0 THEN '+5 days' ELSE '-3 days' END), CASE WHEN fee_id % 2 THEN 'card' ELSE 'cash' END FROM fees WHERE fee_id % 7 <> 0;
CREATE TABLE liveries (livery_id INTEGER PRIMARY KEY, horse_id INTEGER NOT NULL REFERENCES horses (horse_id), from_day TEXT NOT NULL, until_day TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
INSERT INTO liveries SELECT i, i % 12 + 1, date('2024-02-01', '+' || (i * 4) || ' days'), CASE WHEN i < 115 THEN date('2024-02-01', '+' || (i * 4 + 3 + i % 9) || ' days') END FROM n;
