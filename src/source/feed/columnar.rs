//! Parquet files: columns of plain values, whatever packs them.
//!
//! What comes in: a file's bytes. What goes out: a table, whose lines are the rows counted from 1. Days and times
//! are in ISO form, numbers as they are, an absent value is an empty cell. Nested columns are refused: which of
//! their values were a row's cell nobody has said. It must not know what a column means.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, Time, date};
use parquet::basic::{LogicalType, Repetition, TimeUnit};
use parquet::data_type::Decimal;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use parquet::schema::types::Type;

use crate::diag::{Diagnostic, Place};
use crate::model::file::{PARQUET, UNKNOWN, what_it_is};

use super::fault::Faults;
use super::grid::Grid;
use super::record::Places;
use super::unpack::Tabled;

const DAMAGED: &str = "have the file written anew; a file cut short is a broken transfer";

/// What all columns of a file may unpack to, in bytes.
const MAX_UNPACKED: i64 = 1024 * 1024 * 1024;

/// The first day that is counted from.
const EPOCH: Date = date(1970, 1, 1);

/// Reads a Parquet file. `None` if there is nothing to go on with.
pub(super) fn table(bytes: Vec<u8>, faults: &mut Faults) -> Option<Tabled> {
    let file = faults.file().to_owned();
    let refused = match catch_unwind(AssertUnwindSafe(|| read(bytes, faults))) {
        Ok(Ok(grid)) => return grid.map(|grid| Tabled { head: 1, places: Places::Rows, grid }),
        Ok(Err(why)) => why,
        Err(_) => "it is damaged in a way that its reader does not stand".to_owned(),
    };
    let message = format!("the Parquet file cannot be read: {refused}");
    faults.push(Diagnostic::error("feed-unreadable", Place::file(&file), message).hint(DAMAGED));
    None
}

fn read(bytes: Vec<u8>, faults: &mut Faults) -> Result<Option<Grid>, String> {
    match what_it_is(&bytes) {
        PARQUET if !bytes.ends_with(b"PAR1") => {
            return Err("its end is missing, as of a file that was cut off on its way".to_owned());
        }
        PARQUET | UNKNOWN => {}
        what => return Err(format!("it is {what}")),
    }
    let said = |error: parquet::errors::ParquetError| error.to_string();
    let reader = SerializedFileReader::new(Bytes::from(bytes)).map_err(said)?;
    let schema = reader.metadata().file_metadata().schema_descr();
    let columns: Vec<Type> =
        schema.root_schema().get_fields().iter().map(|column| (**column).clone()).collect();
    // What a file says of itself, before anything of it is unpacked; the rows are counted once more as they come.
    let groups = reader.metadata().row_groups();
    let unpacked =
        groups.iter().flat_map(|group| group.columns()).map(|column| column.uncompressed_size().max(0));
    if unpacked.fold(0_i64, i64::saturating_add) > MAX_UNPACKED {
        return Err(format!("it unpacks to more than {MAX_UNPACKED} bytes"));
    }
    let mut grid = Grid::new(columns.iter().map(|column| column.name().to_owned()).collect());
    for column in &columns {
        let repeated = column.get_basic_info().has_repetition()
            && column.get_basic_info().repetition() == Repetition::REPEATED;
        if !column.is_primitive() || repeated {
            let message = format!("the column `{}` is nested: it holds lists or objects", column.name());
            faults.push(Diagnostic::error("feed-column-nested", Place::file(faults.file()), message).hint(
                "write its values into columns of their own, or leave it out when the file is written",
            ));
        }
    }
    if faults.withheld() {
        return Ok(None);
    }
    if columns.is_empty() {
        return Err("it has no columns".to_owned());
    }
    for (row, number) in reader.get_row_iter(None).map_err(said)?.zip(1_u32..) {
        let row = row.map_err(said)?;
        let mut record = csv::StringRecord::new();
        for ((_, field), column) in row.get_column_iter().zip(&columns) {
            match cell(field, column) {
                Ok(cell) => record.push_field(&cell),
                Err(why) => {
                    let at = Place::at(faults.file(), number, 0);
                    let message =
                        format!("the column `{}` of row {number} cannot be said: {why}", column.name());
                    faults.push(Diagnostic::error("feed-cell-invalid", at, message));
                    record.push_field("");
                }
            }
        }
        grid.push(number, record)?;
    }
    Ok(Some(grid))
}

/// The text of a value.
fn cell(field: &Field, column: &Type) -> Result<String, String> {
    Ok(match field {
        Field::Null => String::new(),
        Field::Bool(value) => value.to_string(),
        Field::Byte(value) => value.to_string(),
        Field::Short(value) => value.to_string(),
        Field::Int(value) => value.to_string(),
        Field::Long(value) => return long(*value, column),
        Field::UByte(value) => value.to_string(),
        Field::UShort(value) => value.to_string(),
        Field::UInt(value) => value.to_string(),
        Field::ULong(value) => value.to_string(),
        Field::Float16(value) => value.to_string(),
        Field::Float(value) => value.to_string(),
        Field::Double(value) => value.to_string(),
        Field::Decimal(value) => decimal(value)?,
        Field::Str(value) => value.clone(),
        Field::Bytes(value) => bytes(value.data(), column)?,
        Field::Date(days) => EPOCH
            .checked_add(SignedDuration::from_hours(i64::from(*days) * 24))
            .map_err(|_| format!("{days} days from 1970 there is no day"))?
            .to_string(),
        Field::TimeMillis(value) => time(i64::from(*value) * 1_000_000)?,
        Field::TimeMicros(value) => time(value.checked_mul(1000).ok_or("it is no time of a day")?)?,
        Field::TimestampMillis(value) => moment(i128::from(*value) * 1_000_000)?,
        Field::TimestampMicros(value) => moment(i128::from(*value) * 1000)?,
        Field::Group(_) | Field::ListInternal(_) | Field::MapInternal(_) => {
            return Err("it is nested".to_owned());
        }
    })
}

/// A whole number, or a time of the finest unit, which older types have no word for.
fn long(value: i64, column: &Type) -> Result<String, String> {
    match column.get_basic_info().logical_type_ref() {
        Some(LogicalType::Timestamp(kind)) if kind.unit == TimeUnit::NANOS => moment(i128::from(value)),
        Some(LogicalType::Time(kind)) if kind.unit == TimeUnit::NANOS => time(value),
        _ => Ok(value.to_string()),
    }
}

/// A moment, of which the day alone is said if it is midnight.
fn moment(nanos: i128) -> Result<String, String> {
    let none = || format!("{nanos} nanoseconds from 1970 there is no day");
    let seconds = i64::try_from(nanos.div_euclid(1_000_000_000)).map_err(|_| none())?;
    let rest = i32::try_from(nanos.rem_euclid(1_000_000_000)).map_err(|_| none())?;
    let start = DateTime::from_parts(EPOCH, Time::midnight());
    let moment = start.checked_add(SignedDuration::new(seconds, rest)).map_err(|_| none())?;
    Ok(if moment.time() == Time::midnight() { moment.date().to_string() } else { moment.to_string() })
}

fn time(nanos: i64) -> Result<String, String> {
    let none = || format!("{nanos} nanoseconds are no time of a day");
    if !(0..86_400_000_000_000).contains(&nanos) {
        return Err(none());
    }
    let time = Time::midnight().checked_add(SignedDuration::from_nanos(nanos)).map_err(|_| none())?;
    Ok(time.to_string())
}

/// Bytes without a type are text if they can be; a UUID is written as one.
fn bytes(value: &[u8], column: &Type) -> Result<String, String> {
    if matches!(column.get_basic_info().logical_type_ref(), Some(LogicalType::Uuid)) {
        let hex: String = value.iter().map(|byte| format!("{byte:02x}")).collect();
        let part = |from, to| hex.get(from..to).unwrap_or_default();
        return Ok([part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-"));
    }
    let text = std::str::from_utf8(value).map(str::to_owned);
    text.map_err(|_| format!("its bytes are no text ({})", column.get_physical_type()))
}

/// As many digits as a number of 16 bytes has.
const MAX_SCALE: usize = 38;

/// A decimal number with all the digits behind its point.
fn decimal(value: &Decimal) -> Result<String, String> {
    let bytes = value.data();
    let scale = usize::try_from(value.scale()).map_err(|_| "its scale is negative".to_owned())?;
    if scale > MAX_SCALE {
        return Err(format!("it has {scale} digits behind its point, and {MAX_SCALE} are the most"));
    }
    if bytes.len() > 16 {
        return Err("it has more than 38 digits".to_owned());
    }
    let negative = bytes.first().is_some_and(|byte| byte & 0x80 != 0);
    let mut wide = if negative { [0xff; 16] } else { [0; 16] };
    wide[16 - bytes.len()..].copy_from_slice(bytes);
    let value = i128::from_be_bytes(wide);
    let digits = format!("{:0width$}", value.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let sign = if value < 0 { "-" } else { "" };
    Ok(if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_has_the_digits_that_its_scale_says_or_is_refused() {
        let of = |scale| decimal(&Decimal::from_i32(-1234, 9, scale));
        assert_eq!(of(0), Ok("-1234".to_owned()));
        assert_eq!(of(2), Ok("-12.34".to_owned()));
        assert_eq!(of(6), Ok("-0.001234".to_owned()));
        assert_eq!(of(-1), Err("its scale is negative".to_owned()));
        assert_eq!(of(70), Err("it has 70 digits behind its point, and 38 are the most".to_owned()));
        let of = |bytes: Vec<u8>| decimal(&Decimal::from_bytes(bytes.into(), 38, 3));
        assert_eq!(of(vec![0xff]), Ok("-0.001".to_owned()));
        assert_eq!(of(vec![0xff, 0x00]), Ok("-0.256".to_owned()));
        assert_eq!(of(vec![0x00, 0xff]), Ok("0.255".to_owned()));
        assert_eq!(of([vec![0x80], vec![0; 15]].concat()).map(|text| text.len()), Ok(41));
        assert_eq!(of(vec![0; 17]), Err("it has more than 38 digits".to_owned()));
    }

    #[test]
    fn days_and_moments_before_1970_are_the_ones_that_they_are() {
        let schema =
            parquet::schema::parser::parse_message_type("message rows { required int32 since (DATE); }");
        let column = schema.unwrap().get_fields()[0].clone();
        let day = |days| cell(&Field::Date(days), &column);
        assert_eq!(day(0), Ok("1970-01-01".to_owned()));
        assert_eq!(day(-1), Ok("1969-12-31".to_owned()));
        assert_eq!(day(-719_162), Ok("0001-01-01".to_owned()));
        assert_eq!(day(i32::MIN), Err("-2147483648 days from 1970 there is no day".to_owned()));
        assert_eq!(moment(-86_400_000_000_000), Ok("1969-12-31".to_owned()));
        assert_eq!(moment(-1), Ok("1969-12-31T23:59:59.999999999".to_owned()));
        assert_eq!(cell(&Field::TimestampMillis(-1500), &column), Ok("1969-12-31T23:59:58.5".to_owned()));
        assert_eq!(time(-1), Err("-1 nanoseconds are no time of a day".to_owned()));
    }
}
