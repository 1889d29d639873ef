//! What no reader or writer could be faster than: loops that know the layout, and copies.

/// Doubles of a list, from its first one on.
#[must_use]
pub fn doubles(bytes: &[u8], count: usize) -> Vec<f64> {
    let mut values = Vec::with_capacity(count);
    let mut at = bytes.iter().position(|&byte| byte == b'(').map_or(0, |at| at + 1);
    while values.len() < count {
        match bytes[at] {
            b'G' => {
                let double: [u8; 8] = bytes[at + 1..at + 9].try_into().unwrap_or_default();
                values.push(f64::from_be_bytes(double));
                at += 9;
            }
            // the end of a batch, a frame, and the beginning of the next
            0x95 => at += 9,
            _ => at += 1,
        }
    }
    values
}

/// Doubles written one behind the other.
pub fn write_doubles(values: &[f64], out: &mut Vec<u8>) {
    out.reserve(values.len() * 9);
    for value in values {
        let mut one = [b'G'; 9];
        one[1..].copy_from_slice(&value.to_be_bytes());
        out.extend_from_slice(&one);
    }
}
