//! What a typed cell of a spreadsheet says as text, for feeds and documents alike.
//!
//! What comes in: a cell as its reader types it. What goes out: the text that a person sees there, in one
//! form whatever the program's language and the cell's number format are. It must not know where the cell stands.

use calamine::{Data, ExcelDateTime};

use super::spot::letters;

/// The milliseconds of a day.
const DAY: f64 = 86_400_000.0;

/// The text of a cell: days and times in ISO form, whole numbers without a fraction, `true` and `false`; an empty
/// cell is empty text. Days of both systems, from 1900 and from 1904, come out as the days that they are.
///
/// # Errors
///
/// The error that a formula left in the cell, such as `#N/A`, or why the value cannot be said.
pub fn cell_text(cell: &Data) -> Result<String, String> {
    match cell {
        Data::Empty => Ok(String::new()),
        Data::String(text) => Ok(text.clone()),
        Data::Bool(value) => Ok(value.to_string()),
        Data::Int(value) => Ok(value.to_string()),
        Data::Float(value) => number(*value),
        Data::DateTime(value) => moment(value),
        Data::DateTimeIso(text) => Ok(text.strip_suffix("T00:00:00").unwrap_or(text).to_owned()),
        Data::DurationIso(text) => Ok(duration(text).unwrap_or_else(|| text.clone())),
        Data::Error(error) => Err(error.to_string()),
    }
}

/// The name of a cell, such as `B7`; rows and columns are counted from 1.
pub fn cell_name(row: u32, column: u32) -> String {
    format!("{}{row}", letters(column))
}

/// A number with the fifteen digits that spreadsheets keep: 0.1 + 0.2 is 0.3.
fn number(value: f64) -> Result<String, String> {
    if !value.is_finite() {
        return Err("it is no number".to_owned());
    }
    // Every whole number below this is exact.
    if value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0 {
        return Ok(if value == 0.0 { "0".to_owned() } else { format!("{value:.0}") });
    }
    let rounded: f64 = format!("{value:.14e}").parse().map_err(|_| "it is no number".to_owned())?;
    Ok(rounded.to_string())
}

/// A serial number: a time alone, a day alone, or both; of a duration the hours, however many.
fn moment(value: &ExcelDateTime) -> Result<String, String> {
    let serial = value.as_f64();
    // Beyond 9999-12-31 there are no days, and before the first one neither.
    if !(0.0..2_958_466.0).contains(&serial) {
        return Err(format!("the serial number {serial} is no day"));
    }
    if value.is_duration() {
        return Ok(clock((serial * DAY).round()));
    }
    // A time that rounds to midnight is the next day's.
    let (year, month, day, hour, minute, second, milli) = value.to_ymd_hms_milli();
    let minutes = f64::from(hour) * 60.0 + f64::from(minute);
    let millis = (minutes * 60.0 + f64::from(second)) * 1000.0 + f64::from(milli);
    if serial < 1.0 && (millis > 0.0 || year < 1904) {
        return Ok(clock(millis));
    }
    if (year, month, day) == (1900, 2, 29) {
        return Err("1900-02-29 is a day that spreadsheets know and no calendar".to_owned());
    }
    let narrow = |value: u8| i8::try_from(value).unwrap_or_default();
    let date = i16::try_from(year)
        .ok()
        .and_then(|year| jiff::civil::Date::new(year, narrow(month), narrow(day)).ok());
    let date = date.ok_or_else(|| format!("the serial number {serial} is no day"))?;
    Ok(if millis == 0.0 { date.to_string() } else { format!("{date}T{}", clock(millis)) })
}

/// `08:30:00`, with thousandths where there are any.
fn clock(millis: f64) -> String {
    let millis = millis as u64;
    let (seconds, rest) = (millis / 1000, millis % 1000);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let fraction = if rest == 0 { String::new() } else { format!(".{rest:03}") };
    format!("{hours:02}:{minutes:02}:{seconds:02}{fraction}")
}

/// `PT08H30M00S`, as open formats write a time, like any other time.
fn duration(text: &str) -> Option<String> {
    let (hours, rest) = text.strip_prefix("PT")?.split_once('H')?;
    let (minutes, rest) = rest.split_once('M')?;
    let seconds = rest.strip_suffix('S')?;
    let whole = seconds.split(['.', ',']).next()?;
    let of = |digits: &str| digits.parse::<u32>().ok();
    Some(format!("{:02}:{:02}:{:02}", of(hours)?, of(minutes)?, of(whole)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use calamine::ExcelDateTimeType::{DateTime, TimeDelta};

    fn show(cell: Data) -> String {
        cell_text(&cell).unwrap_or_else(|error| format!("error {error}"))
    }

    #[test]
    fn cells_say_what_a_person_sees() {
        let day = |serial, is_1904| Data::DateTime(ExcelDateTime::new(serial, DateTime, is_1904));
        let cases = [
            (Data::Float(12.0), "12"),
            (Data::Float(-0.0), "0"),
            (Data::Float(-3.0), "-3"),
            (Data::Float(0.1 + 0.2), "0.3"),
            (Data::Float(-0.5), "-0.5"),
            (Data::Float(4_500_012_345_678.0), "4500012345678"),
            (Data::Float(f64::NAN), "error it is no number"),
            (Data::Int(7), "7"),
            (Data::Bool(true), "true"),
            (Data::String("007".to_owned()), "007"),
            (Data::Empty, ""),
            (day(45339.0, false), "2024-02-17"),
            (day(43877.0, true), "2024-02-17"),
            (day(45339.5, false), "2024-02-17T12:00:00"),
            (day(45_339.999_999_999_9, false), "2024-02-18"),
            (day(0.354_166_666_666_667, false), "08:30:00"),
            (day(0.0, false), "00:00:00"),
            (day(0.0, true), "1904-01-01"),
            (day(1.0, false), "1900-01-01"),
            (day(59.0, false), "1900-02-28"),
            (day(60.0, false), "error 1900-02-29 is a day that spreadsheets know and no calendar"),
            (day(61.0, false), "1900-03-01"),
            (day(2_958_465.0, false), "9999-12-31"),
            (day(3_000_000.0, false), "error the serial number 3000000 is no day"),
            (day(-1.0, false), "error the serial number -1 is no day"),
            (Data::DateTime(ExcelDateTime::new(1.25, TimeDelta, false)), "30:00:00"),
            (Data::DateTimeIso("2024-02-17T00:00:00".to_owned()), "2024-02-17"),
            (Data::DurationIso("PT08H30M00S".to_owned()), "08:30:00"),
            (Data::Error(calamine::CellErrorType::NA), "error #N/A"),
        ];
        for (cell, expected) in cases {
            assert_eq!(show(cell.clone()), expected, "{cell:?}");
        }
    }

    #[test]
    fn cells_have_the_names_of_spreadsheets() {
        let names = [(1, 1), (7, 2), (1, 26), (1, 27), (3, 702), (3, 703), (1_048_576, 16_384)];
        let names: Vec<String> = names.iter().map(|(row, column)| cell_name(*row, *column)).collect();
        assert_eq!(names, ["A1", "B7", "Z1", "AA1", "ZZ3", "AAA3", "XFD1048576"]);
    }
}
