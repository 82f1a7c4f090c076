-- The tables of the first release in PostgreSQL, as it made them.

CREATE TABLE bot (
    id SERIAL NOT NULL,
    name VARCHAR NOT NULL,
    owner VARCHAR NOT NULL,
    hidden BOOLEAN NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (name)
);

CREATE TABLE bundle (
    digest VARCHAR NOT NULL,
    data BYTEA NOT NULL,
    PRIMARY KEY (digest)
);

CREATE TABLE league (
    id SERIAL NOT NULL,
    name VARCHAR NOT NULL,
    ruleset VARCHAR NOT NULL,
    seats INTEGER NOT NULL,
    options JSON NOT NULL,
    limits JSON NOT NULL,
    secret BYTEA NOT NULL,
    deals INTEGER NOT NULL,
    show_names BOOLEAN NOT NULL,
    all_seatings BOOLEAN NOT NULL,
    isolate BOOLEAN NOT NULL,
    mix_owners BOOLEAN NOT NULL,
    one_cpu BOOLEAN NOT NULL,
    cpu VARCHAR NOT NULL,
    created FLOAT NOT NULL,
    format VARCHAR NOT NULL,
    hero INTEGER,
    test JSON NOT NULL,
    anchor JSON NOT NULL,
    rules INTEGER NOT NULL,
    deals_done INTEGER NOT NULL,
    matches_done BIGINT NOT NULL,
    hidden BOOLEAN NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (name)
);

CREATE TABLE node (
    id SERIAL NOT NULL,
    name VARCHAR NOT NULL,
    cpu VARCHAR NOT NULL,
    beanleague VARCHAR NOT NULL,
    python VARCHAR NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (name, cpu, beanleague, python)
);

CREATE TABLE schema_version (
    version SERIAL NOT NULL,
    PRIMARY KEY (version)
);

CREATE TABLE token (
    id VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    role VARCHAR NOT NULL,
    digest BYTEA NOT NULL,
    created FLOAT NOT NULL,
    expires FLOAT,
    revoked FLOAT,
    PRIMARY KEY (id)
);

CREATE TABLE bot_version (
    id SERIAL NOT NULL,
    bot_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    digest VARCHAR NOT NULL,
    games JSON NOT NULL,
    command JSON NOT NULL,
    description VARCHAR NOT NULL,
    author VARCHAR NOT NULL,
    bundle_bytes INTEGER NOT NULL,
    submitted FLOAT NOT NULL,
    environment VARCHAR NOT NULL,
    packages VARCHAR NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (bot_id, number),
    UNIQUE (bot_id, digest),
    FOREIGN KEY(bot_id) REFERENCES bot (id),
    FOREIGN KEY(digest) REFERENCES bundle (digest)
);

CREATE TABLE deal (
    league_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    entrants JSON NOT NULL,
    seed_digest BYTEA NOT NULL,
    seed BYTEA,
    voids INTEGER NOT NULL,
    published FLOAT NOT NULL,
    played FLOAT,
    layer VARCHAR NOT NULL,
    results BYTEA,
    position INTEGER,
    node_id INTEGER,
    PRIMARY KEY (league_id, number),
    FOREIGN KEY(league_id) REFERENCES league (id)
);

CREATE TABLE league_change (
    league_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    kind VARCHAR NOT NULL,
    entrant INTEGER,
    deals INTEGER,
    scheduled INTEGER NOT NULL,
    position INTEGER,
    happened FLOAT NOT NULL,
    PRIMARY KEY (league_id, number),
    FOREIGN KEY(league_id) REFERENCES league (id)
);

CREATE TABLE rating_snapshot (
    league_id INTEGER NOT NULL,
    deals INTEGER NOT NULL,
    kept BOOLEAN NOT NULL,
    created FLOAT NOT NULL,
    better BYTEA NOT NULL,
    seats JSON NOT NULL,
    luck FLOAT,
    PRIMARY KEY (league_id, deals),
    FOREIGN KEY(league_id) REFERENCES league (id)
);

CREATE TABLE run (
    league_id INTEGER NOT NULL,
    token VARCHAR NOT NULL,
    host VARCHAR NOT NULL,
    pid INTEGER NOT NULL,
    thread INTEGER NOT NULL,
    born VARCHAR NOT NULL,
    began FLOAT NOT NULL,
    heartbeat FLOAT NOT NULL,
    progress BYTEA,
    stop BOOLEAN NOT NULL,
    ended BOOLEAN NOT NULL,
    error VARCHAR NOT NULL,
    PRIMARY KEY (league_id),
    FOREIGN KEY(league_id) REFERENCES league (id)
);

CREATE TABLE bot_log (
    version_id INTEGER NOT NULL,
    league_id INTEGER NOT NULL,
    text TEXT NOT NULL,
    truncated BOOLEAN NOT NULL,
    updated FLOAT NOT NULL,
    PRIMARY KEY (version_id, league_id),
    FOREIGN KEY(version_id) REFERENCES bot_version (id),
    FOREIGN KEY(league_id) REFERENCES league (id)
);

CREATE TABLE entrant (
    league_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    version_id INTEGER,
    deals BIGINT NOT NULL,
    matches BIGINT NOT NULL,
    score BIGINT NOT NULL,
    wins BIGINT NOT NULL,
    decisions BIGINT NOT NULL,
    faults BIGINT NOT NULL,
    faulted BIGINT NOT NULL,
    forfeits BIGINT NOT NULL,
    forfeits_in_a_row INTEGER NOT NULL,
    most_forfeits_in_a_row INTEGER NOT NULL,
    retired BOOLEAN NOT NULL,
    suspended VARCHAR NOT NULL,
    cleared_matches BIGINT NOT NULL,
    cleared_forfeits BIGINT NOT NULL,
    PRIMARY KEY (league_id, number),
    UNIQUE (league_id, version_id),
    FOREIGN KEY(league_id) REFERENCES league (id),
    FOREIGN KEY(version_id) REFERENCES bot_version (id)
);

CREATE INDEX entrant_of_version ON entrant (version_id);

CREATE TABLE match (
    league_id INTEGER NOT NULL,
    deal INTEGER NOT NULL,
    rotation INTEGER NOT NULL,
    record BYTEA NOT NULL,
    PRIMARY KEY (league_id, deal, rotation)
);

CREATE TABLE rating (
    league_id INTEGER NOT NULL,
    deals INTEGER NOT NULL,
    entrant INTEGER NOT NULL,
    rating FLOAT NOT NULL,
    interval FLOAT,
    best_rank INTEGER NOT NULL,
    worst_rank INTEGER NOT NULL,
    least FLOAT,
    most FLOAT,
    anchor BOOLEAN NOT NULL,
    provisional BOOLEAN NOT NULL,
    PRIMARY KEY (league_id, deals, entrant),
    FOREIGN KEY(league_id, deals) REFERENCES rating_snapshot (league_id, deals) ON DELETE CASCADE
);

CREATE TABLE trade_flow (
    league_id INTEGER NOT NULL,
    deal INTEGER NOT NULL,
    giver INTEGER NOT NULL,
    receiver INTEGER NOT NULL,
    trades INTEGER NOT NULL,
    cards INTEGER NOT NULL,
    gifts INTEGER NOT NULL,
    cents INTEGER NOT NULL,
    PRIMARY KEY (league_id, deal, giver, receiver)
);

CREATE TABLE void (
    league_id INTEGER NOT NULL,
    deal INTEGER NOT NULL,
    number INTEGER NOT NULL,
    reason VARCHAR NOT NULL,
    happened FLOAT NOT NULL,
    node_id INTEGER,
    PRIMARY KEY (league_id, deal, number),
    FOREIGN KEY(league_id, deal) REFERENCES deal (league_id, number)
);

CREATE TABLE match_seat (
    league_id INTEGER NOT NULL,
    deal INTEGER NOT NULL,
    rotation INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    entrant INTEGER NOT NULL,
    score INTEGER NOT NULL,
    place INTEGER NOT NULL,
    decisions INTEGER NOT NULL,
    faults INTEGER NOT NULL,
    forfeited BOOLEAN NOT NULL,
    PRIMARY KEY (league_id, deal, rotation, seat)
);

CREATE INDEX seats_of_entrant ON match_seat (league_id, entrant, deal, rotation);

CREATE TABLE fault (
    league_id INTEGER NOT NULL,
    deal INTEGER NOT NULL,
    rotation INTEGER NOT NULL,
    number INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    entrant INTEGER NOT NULL,
    move INTEGER NOT NULL,
    kind VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    forfeited BOOLEAN NOT NULL,
    PRIMARY KEY (league_id, deal, rotation, number),
    FOREIGN KEY(league_id, deal, rotation, seat) REFERENCES match_seat (league_id, deal, rotation, seat)
);

CREATE INDEX faults_of_entrant ON fault (league_id, entrant, deal, rotation);

INSERT INTO schema_version VALUES (14);
