//! Tables as Parquet files: the rows of an export, written group by group.
//!
//! What comes in: records of text and the types of their columns. What goes out: a file with days as `DATE`, numbers
//! as `INT64`, flags as `BOOLEAN` and everything else as text, compressed with zstd; an empty cell of a column that
//! is no text is null. Holds one group of rows.

use std::fs::File;
use std::io::{self, BufWriter};
use std::sync::Arc;

use jiff::civil::{Date, date};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

use super::render::table::Table;

/// The rows of a group.
const GROUP: usize = 50_000;

/// A file that grows row by row.
pub(super) struct Parquet {
    writer: SerializedFileWriter<BufWriter<File>>,
    types: Vec<&'static str>,
    /// The cells of the group, column by column.
    columns: Vec<Vec<String>>,
}

impl Parquet {
    /// A file with the columns of a table.
    pub(super) fn new(file: BufWriter<File>, table: &Table) -> io::Result<Self> {
        let types = table.types();
        let columns = table.header().iter().zip(&types);
        let fields =
            columns.map(|(name, kind)| field(name, kind).map(Arc::new)).collect::<Result<Vec<_>, _>>();
        let fields = fields.map_err(io::Error::other)?;
        let schema =
            Type::group_type_builder("edgewright").with_fields(fields).build().map_err(io::Error::other)?;
        let compression = Compression::ZSTD(ZstdLevel::default());
        let properties = WriterProperties::builder().set_compression(compression).build();
        let writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties));
        let columns = vec![Vec::new(); types.len()];
        Ok(Self { writer: writer.map_err(io::Error::other)?, types, columns })
    }

    /// Adds a row.
    pub(super) fn push(&mut self, cells: Vec<String>) -> io::Result<()> {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.push(cell);
        }
        if self.columns.first().is_some_and(|column| column.len() >= GROUP) {
            self.end_group()
        } else {
            Ok(())
        }
    }

    /// Writes what is left, and the end of the file.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.end_group()?;
        self.writer.close().map_err(io::Error::other)?;
        Ok(())
    }

    fn end_group(&mut self) -> io::Result<()> {
        if self.columns.first().is_none_or(Vec::is_empty) {
            return Ok(());
        }
        let mut group = self.writer.next_row_group().map_err(io::Error::other)?;
        for (kind, cells) in self.types.iter().zip(&mut self.columns) {
            let cells = std::mem::take(cells);
            let written = match *kind {
                "date" => write::<Int32Type>(&mut group, &cells, days),
                "int" => write::<Int64Type>(&mut group, &cells, |cell| cell.parse().ok()),
                "boolean" => write::<BoolType>(&mut group, &cells, |cell| cell.parse().ok()),
                _ => text(&mut group, cells),
            };
            written.map_err(io::Error::other)?;
        }
        group.close().map_err(io::Error::other)?;
        Ok(())
    }
}

fn field(name: &str, kind: &str) -> Result<Type, ParquetError> {
    let (physical, logical, repetition) = match kind {
        "date" => (Physical::INT32, Some(LogicalType::Date), Repetition::OPTIONAL),
        "int" => (Physical::INT64, None, Repetition::OPTIONAL),
        "boolean" => (Physical::BOOLEAN, None, Repetition::OPTIONAL),
        _ => (Physical::BYTE_ARRAY, Some(LogicalType::String), Repetition::REQUIRED),
    };
    let builder = Type::primitive_type_builder(name, physical);
    builder.with_repetition(repetition).with_logical_type(logical).build()
}

/// The days from 1970 to a day.
fn days(cell: &str) -> Option<i32> {
    let day: Date = cell.parse().ok()?;
    date(1970, 1, 1).until(day).ok().map(|span| span.get_days())
}

type Group<'w> = SerializedRowGroupWriter<'w, BufWriter<File>>;

/// Writes a column of which some values may be null.
fn write<T: DataType>(
    group: &mut Group<'_>,
    cells: &[String],
    value: impl Fn(&str) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let values: Vec<Option<T::T>> = cells.iter().map(|cell| value(cell)).collect();
    let there: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<T::T> = values.into_iter().flatten().collect();
    let Some(mut column) = group.next_column()? else { return Ok(()) };
    column.typed::<T>().write_batch(&values, Some(&there), None)?;
    column.close()
}

fn text(group: &mut Group<'_>, cells: Vec<String>) -> Result<(), ParquetError> {
    let values: Vec<ByteArray> = cells.into_iter().map(|cell| ByteArray::from(cell.into_bytes())).collect();
    let Some(mut column) = group.next_column()? else { return Ok(()) };
    column.typed::<ByteArrayType>().write_batch(&values, None, None)?;
    column.close()
}
