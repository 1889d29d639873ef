//! What Razorvine's reader makes of calls: values of Java's own, or dicts with the name of a class.

use brinery::{How, Item, Kind, Pickler};

use super::form::{escaped, quoted, real, text_of};

/// What comes of a call.
#[derive(Debug)]
pub(super) enum Made<'d> {
    /// Its whole form.
    Text(String),
    /// A set of the elements of a list.
    Set(Item<'d>),
    /// An object of a class of this name.
    Object(String),
}

/// What comes of an object's call.
pub(super) fn made(item: Item<'_>) -> Result<Made<'_>, String> {
    let mut callable = item.callable().ok_or("nothing is called")?;
    let mut args: Vec<Item<'_>> = item.args().into_iter().flat_map(Item::items).collect();
    let mut name = written_name(callable)?;
    if item.how() == Some(How::Reduce) && matches!(&*name, "copyreg __newobj__" | "copy_reg __newobj__") && !args.is_empty() {
        callable = args.remove(0);
        name = written_name(callable)?;
    }
    let text = |at: usize| args.get(at).copied().and_then(text_of);
    let formed = match &*name {
        "" => localized(callable, &args),
        "decimal Decimal" => text(0).and_then(|text| decimal(&text)),
        "__builtin__ complex" | "builtins complex" => match *args {
            [a, b] => Some(format!("complex({},{})", real(a.as_f64().unwrap_or(f64::NAN)), real(b.as_f64().unwrap_or(f64::NAN)))),
            _ => None,
        },
        "array array" | "array _array_reconstructor" => array(&args),
        "datetime datetime" | "datetime date" | "datetime time" | "datetime timedelta" => moment(&name, &args),
        "pytz _UTC" => Some("tz(UTC)".to_owned()),
        "pytz timezone" | "pytz _p" => text(0).map(|zone| format!("tz({})", escaped(zone.as_bytes()))),
        "dateutil.tz tzutc" => Some("tzinfo(UTC)".to_owned()),
        "dateutil.zoneinfo gettz" => text(0).map(|zone| format!("tzinfo({})", escaped(zone.as_bytes()))),
        "dateutil.tz tzfile" => {
            text(0).map(|path| format!("tzinfo({})", escaped(path.split("zoneinfo/").last().unwrap_or_default().as_bytes())))
        }
        "datetime tzinfo" => Some("tzinfo()".to_owned()),
        "copy_reg _reconstructor" | "copyreg _reconstructor" => match args.first() {
            Some(&class) if written_name(class)? == "dateutil.tz tzutc" => Some("tzinfo(UTC)".to_owned()),
            _ => None,
        },
        "__builtin__ set" | "builtins set" => match *args {
            [list] => return Ok(Made::Set(list)),
            _ => None,
        },
        "_codecs encode" => match (text(0), &*text(1).unwrap_or_default()) {
            (Some(text), "utf-8") => Some(quoted("b", text.as_bytes())),
            (Some(text), "latin-1") => {
                text.chars().map(|char| u8::try_from(char).ok()).collect::<Option<Vec<u8>>>().map(|bytes| quoted("b", &bytes))
            }
            _ => None,
        },
        "__builtin__ bytearray" | "builtins bytearray" | "__builtin__ bytes" => match *args {
            [list] => {
                let bytes = list.items().map(|item| item.as_i64().and_then(|int| u8::try_from(int).ok()));
                bytes.collect::<Option<Vec<u8>>>().map(|bytes| quoted("b", &bytes))
            }
            _ => None,
        },
        _ if is_exception(&name) => Some(exception(&name, &args, item)),
        _ if args.is_empty() => return Ok(Made::Object(name.replacen(' ', ".", 1))),
        _ => None,
    };
    formed.map(Made::Text).ok_or_else(|| format!("a call of {name}"))
}

/// The name of a global as protocol 2 has it, with a space between module and name; empty for anything else.
fn written_name(item: Item<'_>) -> Result<String, String> {
    if item.kind() != Kind::Global {
        return Ok(String::new());
    }
    // whatever is done to a class is not asked for
    let pickle = Pickler::new().protocol(2).dump(item).map_err(|error| error.to_string())?;
    let mut lines = pickle.strip_prefix(b"\x80\x02c").unwrap_or_default().split(|&byte| byte == b'\n');
    let mut line = || lines.next().map(|line| String::from_utf8_lossy(line).into_owned()).unwrap_or_default();
    Ok(format!("{} {}", line(), line()))
}

fn is_exception(name: &str) -> bool {
    let Some((module, name)) = name.split_once(' ') else { return false };
    let is_named = ["Error", "Warning", "Exception"].iter().any(|ending| name.ends_with(ending))
        || ["GeneratorExit", "KeyboardInterrupt", "StopIteration", "SystemExit"].contains(&name);
    module == "exceptions" || matches!(module, "__builtin__" | "builtins") && is_named
}

fn exception(name: &str, args: &[Item<'_>], item: Item<'_>) -> String {
    let name = name.replacen(' ', ".", 1);
    let message = args.first().and_then(|&arg| text_of(arg)).map_or(format!("[{name}]"), |text| format!("[{name}] {text}"));
    let traceback = item.state().and_then(|state| state.get("_pyroTraceback")).map(|value| match value.kind() {
        Kind::List => value.items().filter_map(text_of).collect(),
        _ => text_of(value).unwrap_or_default(),
    });
    let traceback = traceback.map_or(String::new(), |text: String| format!(",{}", quoted("s", text.as_bytes())));
    format!("exception({},{}{traceback})", escaped(name.as_bytes()), quoted("s", message.as_bytes()))
}

/// `BigDecimal.toString()`, which is what Python's `str` gives.
fn decimal(text: &str) -> Option<String> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let scale = i64::try_from(fraction.len()).ok()? - exponent.parse::<i64>().ok()?;
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let digits = match digits.trim_start_matches('0') {
        "" => "0",
        digits => digits,
    };
    let count = i64::try_from(digits.len()).ok()?;
    let adjusted = count - 1 - scale;
    let number = if scale == 0 {
        digits.to_owned()
    } else if scale > 0 && adjusted >= -6 {
        let padded = format!("{digits:0>width$}", width = usize::try_from(scale + 1).ok()?);
        let (whole, fraction) = padded.split_at(padded.len() - usize::try_from(scale).ok()?);
        format!("{whole}.{fraction}")
    } else {
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        if adjusted == 0 { format!("{first}{point}{rest}") } else { format!("{first}{point}{rest}E{adjusted:+}") }
    };
    Some(format!("decimal({sign}{number})"))
}

/// `array.array(code, list)`, or what `array._array_reconstructor(class, code, format, bytes)` makes.
fn array(args: &[Item<'_>]) -> Option<String> {
    let (code, numbers) = match *args {
        [code, list] if list.kind() == Kind::List => (text_of(code)?, list.items().map(plain).collect::<Option<Vec<_>>>()?),
        [_, code, format, bytes] => (text_of(code)?, unpacked(format.as_i64()?, bytes.as_bytes()?)?),
        _ => return None,
    };
    let wide = matches!(args, [_, _, format, _] if format.as_i64().is_some_and(|format| matches!(format, 12 | 13)));
    let name = match &*code {
        "c" | "u" => {
            let unit = |number: &Number| if let Number::Int(unit) = number { u16::try_from(*unit).ok() } else { None };
            let units = numbers.iter().map(unit).collect::<Option<Vec<u16>>>()?;
            return Some(format!("array<char>{}", quoted("", String::from_utf16(&units).ok()?.as_bytes())));
        }
        "B" | "h" => "short",
        "l" if wide => "long",
        "H" | "i" | "l" => "int",
        "I" | "L" => "long",
        "f" => "float",
        "d" => "double",
        _ => return None,
    };
    let numbers: Vec<String> = numbers
        .iter()
        .map(|number| match (name, *number) {
            ("float", number) => real(f64::from(number.real() as f32)),
            ("double", number) => real(number.real()),
            (_, Number::Int(int)) => int.to_string(),
            (_, Number::Float(float)) => real(float),
        })
        .collect();
    Some(format!("array<{name}>[{}]", numbers.join(", ")))
}

#[derive(Debug, Clone, Copy)]
enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    fn real(self) -> f64 {
        match self {
            Self::Int(int) => int as f64,
            Self::Float(float) => float,
        }
    }
}

/// An item of an array: a number, or a text of one unit.
fn plain(item: Item<'_>) -> Option<Number> {
    match item.kind() {
        Kind::Int => item.as_i64().map(Number::Int),
        Kind::Float => item.as_f64().map(Number::Float),
        _ => text_of(item)?.encode_utf16().next().map(|unit| Number::Int(unit.into())),
    }
}

/// Numbers of a machine's format, by its code in the `array` module.
fn unpacked(format: i64, bytes: &[u8]) -> Option<Vec<Number>> {
    let size = [1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 8, 8, 8, 8, 4, 4, 8, 8, 2, 2, 4, 4].get(usize::try_from(format).ok()?)?;
    let is_big = format >= 2 && format % 2 == 1;
    let number = |chunk: &[u8]| {
        let mut bytes = [0; 8];
        for (at, &byte) in chunk.iter().enumerate() {
            bytes[if is_big { size - 1 - at } else { at }] = byte;
        }
        let bits = u64::from_le_bytes(bytes);
        let unused = 64 - 8 * u32::try_from(*size).unwrap_or(8);
        match format {
            1 | 4 | 5 | 8 | 9 | 12 | 13 => Number::Int((bits << unused).cast_signed() >> unused),
            14 | 15 => Number::Float(f32::from_bits(bits as u32).into()),
            16 | 17 => Number::Float(f64::from_bits(bits)),
            _ => Number::Int(bits.cast_signed()),
        }
    };
    Some(bytes.chunks_exact(*size).map(number).collect())
}

/// Dates, times and timedeltas.
fn moment(name: &str, args: &[Item<'_>]) -> Option<String> {
    let ints: Option<Vec<i64>> = args.iter().take(7).map(|arg| arg.as_i64()).collect();
    let packed = args.first().and_then(|first| match first.kind() {
        Kind::Str | Kind::Str8 => text_of(*first)?.chars().map(|char| u8::try_from(char).ok()).collect::<Option<Vec<u8>>>(),
        _ => first.as_bytes().map(<[u8]>::to_vec),
    });
    let packed: Option<Vec<i64>> = packed.map(|packed| packed.into_iter().map(i64::from).collect());
    let micros = |bytes: &[i64]| bytes.iter().fold(0, |number, byte| number << 8 | byte);
    match (name, packed.as_deref(), ints.as_deref()) {
        ("datetime timedelta", _, Some(&[days, seconds, us])) => Some(format!("timedelta({days},{seconds},{us})")),
        ("datetime time", Some(&[hour, minute, second, ref us @ ..]), _) => Some(format!("time({hour},{minute},{second},{})", micros(us))),
        ("datetime time", _, Some(&[hour, minute, second, us])) => Some(format!("time({hour},{minute},{second},{us})")),
        ("datetime date", Some(&[high, low, month, day]), _) => calendar([high << 8 | low, month, day], [0; 4], None),
        ("datetime date", _, Some(&[year, month, day])) => calendar([year, month, day], [0; 4], None),
        ("datetime datetime", Some(&[high, low, month, day, hour, minute, second, ref us @ ..]), _) => {
            calendar([high << 8 | low, month, day], [hour, minute, second, micros(us)], args.get(1).copied())
        }
        ("datetime datetime", _, Some(&[year, month, day, hour, minute, second, us])) => {
            calendar([year, month, day], [hour, minute, second, us], args.get(7).copied().filter(|zone| !zone.is_none()))
        }
        _ => None,
    }
}

/// A calendar at a date and time of UTC, the only zone whose offsets are known here.
fn calendar([year, month, day]: [i64; 3], [hour, minute, second, micros]: [i64; 4], zone: Option<Item<'_>>) -> Option<String> {
    if let Some(zone) = zone {
        let Ok(Made::Text(zone)) = made(zone) else { return None };
        if zone != "tz(UTC)" && zone != "tzinfo(UTC)" {
            return None;
        }
    }
    // days from 1970-01-01 in the Gregorian calendar, with years that begin in March
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * y + y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400) + (153 * m + 2) / 5 + day - 1 - 719_468;
    let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second;
    Some(format!("calendar({},UTC)", seconds * 1_000 + micros / 1_000))
}

/// A datetime in a zone as Razorvine writes it: `operator.attrgetter('localize')(zone)(datetime)`.
fn localized(callable: Item<'_>, args: &[Item<'_>]) -> Option<String> {
    let getter = callable.callable()?;
    let zone = callable.args()?.at(0)?;
    let is_getter = written_name(getter).ok()?.is_empty() && written_name(getter.callable()?).ok()? == "operator attrgetter";
    let datetime = args.first()?.args()?;
    let [year, month, day, hour, minute, second, micros] = (0..7).map(|at| datetime.at(at)?.as_i64()).collect::<Option<Vec<_>>>()?[..]
    else {
        return None;
    };
    if is_getter { calendar([year, month, day], [hour, minute, second, micros], Some(zone)) } else { None }
}
