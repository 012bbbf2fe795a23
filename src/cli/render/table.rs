//! Rows of an export as tables: plain ones for spreadsheets, and those that a Neo4j import reads.

use crate::serve::ExportRow;

/// For whom tables are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Form {
    /// Spreadsheets, which take some texts for formulas.
    Csv,
    /// A Neo4j import.
    Neo4j,
    /// Programs that read Parquet: the same tables as for spreadsheets, the texts as they are.
    Parquet,
}

/// One table.
pub(in crate::cli) struct Table {
    kind: &'static str,
    neo4j: bool,
    form: Form,
}

/// The tables of a form.
pub(in crate::cli) fn tables(form: Form) -> [Table; 5] {
    let neo4j = form == Form::Neo4j;
    ["entity", "edge", "evidence", "chunk", "mention"].map(|kind| Table { kind, neo4j, form })
}

impl Table {
    /// The name of its file.
    pub(in crate::cli) fn file(&self) -> String {
        let name = match self.kind {
            "entity" => "entities",
            "edge" => "edges",
            "evidence" => "evidence",
            "chunk" => "chunks",
            _ => "mentions",
        };
        format!("{name}.{}", if self.form == Form::Parquet { "parquet" } else { "csv" })
    }

    /// The types of its columns, as a Neo4j import names them; empty for text.
    pub(in crate::cli) fn types(&self) -> Vec<&'static str> {
        let typed = Self { neo4j: true, ..*self };
        let types = typed.header().iter().map(|name| name.rsplit_once(':').map_or("", |(_, kind)| kind));
        // The columns that only an import needs stand at the end.
        types.take(self.header().len()).collect()
    }

    /// Its columns.
    pub(in crate::cli) fn header(&self) -> &'static [&'static str] {
        match (self.kind, self.neo4j) {
            ("entity", false) => {
                &["key", "type", "name", "aliases", "properties", "orphan", "tombstoned", "merged_into"]
            }
            ("entity", true) => &[
                "key:ID",
                ":LABEL",
                "name",
                "aliases",
                "properties",
                "orphan:boolean",
                "tombstoned:boolean",
                "merged_into",
            ],
            ("edge", false) => &[
                "id",
                "fact",
                "subject",
                "edge_type",
                "object",
                "valid_from",
                "from_precision",
                "valid_to",
                "end_unknown",
                "identity",
                "properties",
            ],
            ("edge", true) => &[
                "id",
                "fact",
                ":START_ID",
                ":TYPE",
                ":END_ID",
                "valid_from:date",
                "from_precision",
                "valid_to:date",
                "end_unknown:boolean",
                "identity",
                "properties",
            ],
            ("evidence", false) => &[
                "id",
                "fact",
                "claims",
                "document",
                "chunk",
                "start",
                "end",
                "feed",
                "row",
                "rule",
                "revision",
                "quote",
                "support",
                "properties",
            ],
            ("evidence", true) => &[
                "id:ID",
                "fact",
                "claims",
                "document",
                "chunk",
                "start:int",
                "end:int",
                "feed",
                "row",
                "rule",
                "revision",
                "quote",
                "support",
                "properties",
                ":LABEL",
            ],
            ("chunk", false) => &[
                "id",
                "document",
                "position",
                "line",
                "place",
                "part",
                "block",
                "headings",
                "parents",
                "text",
                "withdrawn",
            ],
            ("chunk", true) => &[
                "id:ID",
                "document",
                "position:int",
                "line:int",
                "place",
                "part",
                "block",
                "headings",
                "parents",
                "text",
                "withdrawn:boolean",
                ":LABEL",
            ],
            (_, false) => &["id", "chunk", "start", "end", "surface", "entity", "ambiguous", "how"],
            (_, true) => &[
                "id",
                ":START_ID",
                "start:int",
                "end:int",
                "surface",
                ":END_ID",
                "ambiguous:boolean",
                "how",
                ":TYPE",
            ],
        }
    }

    /// The records that a row makes in this table: none if it is of another kind.
    pub(in crate::cli) fn records(&self, row: &ExportRow) -> Vec<Vec<String>> {
        if row.kind() != self.kind {
            return Vec::new();
        }
        let mut records = self.cells(row);
        if self.form == Form::Csv {
            for cell in records.iter_mut().flatten() {
                neutralize(cell);
            }
        }
        records
    }

    fn cells(&self, row: &ExportRow) -> Vec<Vec<String>> {
        let label = |name: &str| self.neo4j.then(|| name.to_owned());
        let join = |texts: &[String]| {
            if self.neo4j { json(&texts) } else { texts.join(" | ") }
        };
        let mut cells = match row {
            ExportRow::Entity {
                id,
                entity_type,
                names,
                properties,
                orphan,
                tombstoned,
                merged_into,
                key,
            } => vec![
                id.clone(),
                entity_type.clone(),
                names.first().unwrap_or(key).clone(),
                join(names.get(1..).unwrap_or_default()),
                json(properties),
                orphan.to_string(),
                tombstoned.to_string(),
                merged_into.clone().unwrap_or_default(),
            ],
            ExportRow::Edge {
                id,
                fact,
                subject,
                edge_type,
                object,
                valid_from,
                from_precision,
                valid_to,
                end_unknown,
                identity,
                properties,
                ..
            } => vec![
                id.clone(),
                fact.clone(),
                subject.clone(),
                edge_type.clone(),
                object.clone(),
                text(valid_from.as_ref()),
                from_precision
                    .map(|precision| json(&precision).trim_matches('"').to_owned())
                    .unwrap_or_default(),
                text(valid_to.as_ref()),
                end_unknown.to_string(),
                json(identity),
                json(properties),
            ],
            ExportRow::Evidence {
                id,
                fact,
                claims,
                document,
                chunk,
                start,
                end,
                feed,
                row,
                rule,
                revision,
                quote,
                support,
                properties,
            } => vec![
                id.clone(),
                fact.clone(),
                claims.clone(),
                text(document.as_ref()),
                text(chunk.as_ref()),
                text(start.as_ref()),
                text(end.as_ref()),
                text(feed.as_ref()),
                text(row.as_ref()),
                rule.clone(),
                revision.clone(),
                quote.clone(),
                json(support),
                json(properties),
            ],
            ExportRow::Chunk {
                id,
                document,
                position,
                at,
                part,
                block,
                headings,
                parents,
                text,
                withdrawn,
            } => vec![
                id.clone(),
                document.clone(),
                position.to_string(),
                at.line().to_string(),
                at.text(),
                json(part).trim_matches('"').to_owned(),
                block.clone(),
                join(headings),
                join(parents),
                text.clone(),
                withdrawn.to_string(),
            ],
            ExportRow::Mention { id, chunk, start, end, surface, entities, how } => {
                let one = |entity: &String| {
                    let mut cells = vec![
                        id.clone(),
                        chunk.clone(),
                        start.to_string(),
                        end.to_string(),
                        surface.clone(),
                        entity.clone(),
                        (entities.len() > 1).to_string(),
                        how.clone(),
                    ];
                    cells.extend(label("MENTIONS"));
                    cells
                };
                return entities.iter().map(one).collect();
            }
            ExportRow::History { .. } => return Vec::new(),
        };
        match row {
            ExportRow::Evidence { .. } => cells.extend(label("Evidence")),
            ExportRow::Chunk { .. } => cells.extend(label("Chunk")),
            _ => {}
        }
        vec![cells]
    }
}

fn text(value: Option<&impl ToString>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Keeps a spreadsheet from reading a text as a formula.
pub(in crate::cli) fn neutralize(cell: &mut String) {
    if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        cell.insert(0, '\'');
    }
}
