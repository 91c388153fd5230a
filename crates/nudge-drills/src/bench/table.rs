//! The printed table of results.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

/// The summary of many runs.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) struct Figures {
    pub(super) p50: Duration,
    pub(super) p99: Duration,
}

impl Figures {
    /// Summarises runs that were timed here.
    pub(super) fn of(mut runs: Vec<Duration>) -> Self {
        runs.sort_unstable();
        let at = |percent: usize| runs.get((runs.len() * percent).div_ceil(100).saturating_sub(1));
        Self { p50: at(50).copied().unwrap_or_default(), p99: at(99).copied().unwrap_or_default() }
    }

    /// Reads the figures that a `bare` program printed.
    pub(super) fn from_json(value: &Value) -> Self {
        let micros = |name: &str| Duration::from_secs_f64(value[name].as_f64().unwrap_or_default() / 1e6);
        Self { p50: micros("p50_us"), p99: micros("p99_us") }
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} / {}", short(self.p50), short(self.p99))
    }
}

/// Rows in the order they were measured.
#[derive(Debug, Default)]
pub(super) struct Table {
    compared: Vec<[String; 5]>,
    counted: Vec<[String; 3]>,
    /// Rows that are so far beyond their aim that no busy machine explains it.
    far_off: Vec<String>,
}

/// A median this many times beyond its aim fails the run. The worst that a busy machine did to a
/// sound program was three times.
const FAR_OFF: f64 = 5.0;

/// The figure that an aim applies to.
#[derive(Copy, Clone, Debug)]
pub(super) enum Aim {
    /// The median, at most this many times the baseline's.
    Median(f64),
    /// The 99th percentile, at most this many times the baseline's.
    Tail(f64),
    /// Both, at most this many times the baseline's plus this time.
    Near(f64, Duration),
    /// The baseline's median, at least this many times ours.
    Faster(f64),
    /// The 99th percentile, below this time, whatever the baseline's is.
    Below(Duration),
    /// None: shown for comparison.
    None,
}

impl Table {
    /// Adds two sides and the aim for their ratio.
    pub(super) fn compare(&mut self, what: &str, ours: Figures, yardstick: (&str, Figures), aim: Aim) {
        let (name, theirs) = yardstick;
        if aim.is_far_off(ours, theirs) {
            self.far_off.push(what.to_owned());
        }
        let (shown, aim) = aim.judge(ours, theirs);
        eprintln!("{what}: {ours} against {theirs} ({shown})");
        self.compared.push([what.to_owned(), ours.to_string(), format!("{name}: {theirs}"), shown, aim]);
    }

    /// Adds two rates, in rows per second, and the minimum ratio of ours to the other.
    pub(super) fn rate(&mut self, what: &str, ours: f64, yardstick: (&str, f64), least: Option<f64>) {
        let (name, theirs) = yardstick;
        let ratio = ours / theirs;
        if least.is_some_and(|least| ratio < least / FAR_OFF) {
            self.far_off.push(what.to_owned());
        }
        let aim = least.map_or_else(
            || "–".to_owned(),
            |least| format!("≥ {least:.1}×, {}", if ratio >= least { "met" } else { "**missed**" }),
        );
        let shown = |rate: f64| format!("{} rows/s", grouped(rate.max(0.0) as u64));
        eprintln!("{what}: {} against {} ({ratio:.2}×)", shown(ours), shown(theirs));
        self.compared.push([
            what.to_owned(),
            shown(ours),
            format!("{name}: {}", shown(theirs)),
            format!("{ratio:.2}×"),
            aim,
        ]);
    }

    /// Adds two sizes, in bytes per row.
    pub(super) fn size(&mut self, what: &str, ours: f64, yardstick: (&str, f64)) {
        let (name, theirs) = yardstick;
        let ratio = format!("{:.2}×", ours / theirs);
        eprintln!("{what}: {ours:.0} bytes against {theirs:.0} ({ratio})");
        let shown = [
            what.to_owned(),
            format!("{ours:.0} bytes"),
            format!("{name}: {theirs:.0} bytes"),
            ratio,
            "–".to_owned(),
        ];
        self.compared.push(shown);
    }

    /// Prints the table; returns whether every median is somewhere near its aim.
    pub(super) fn print(&self) -> bool {
        print!("{self}");
        for what in &self.far_off {
            println!("VIOLATION: {what}: {FAR_OFF} times beyond the aim, and more");
        }
        self.far_off.is_empty()
    }

    /// Adds a single number.
    pub(super) fn count(&mut self, what: &str, number: String, aim: &str) {
        eprintln!("{what}: {number}");
        self.counted.push([what.to_owned(), number, aim.to_owned()]);
    }
}

impl Aim {
    /// Whether the median is far beyond the aim, even for a busy machine.
    fn is_far_off(self, ours: Figures, theirs: Figures) -> bool {
        let limit = match self {
            Self::Median(most) | Self::Tail(most) => theirs.p50.mul_f64(most),
            Self::Near(times, plus) => theirs.p50.mul_f64(times) + plus,
            Self::Faster(least) => theirs.p50.div_f64(least),
            Self::Below(most) => most,
            Self::None => return false,
        };
        ours.p50 > limit.mul_f64(FAR_OFF)
    }

    /// The ratio as shown, and the verdict on the aim.
    fn judge(self, ours: Figures, theirs: Figures) -> (String, String) {
        let ratio = |ours: Duration, theirs: Duration| ours.as_secs_f64() / theirs.as_secs_f64();
        let (median, tail) = (ratio(ours.p50, theirs.p50), ratio(ours.p99, theirs.p99));
        let (one, both) = (format!("{median:.2}×"), format!("{median:.2}× / {tail:.2}×"));
        match self {
            Self::Median(most) => (one, format!("≤ {}×, {}", factor(most), verdict(median <= most))),
            Self::Tail(most) => (both, format!("p99 ≤ {most:.1}×, {}", verdict(tail <= most))),
            Self::Near(times, plus) => {
                let near = |ours, theirs: Duration| verdict(ours <= theirs.mul_f64(times) + plus);
                let (median, tail) = (near(ours.p50, theirs.p50), near(ours.p99, theirs.p99));
                let met =
                    if median == tail { median.to_owned() } else { format!("p50 {median}, p99 {tail}") };
                (both, format!("≤ {times:.1}× + {}, {met}", short(plus)))
            }
            Self::Faster(least) => {
                let times = 1.0 / median;
                let shown = format!("{times:.0}× / {:.0}× faster", 1.0 / tail);
                (shown, format!("≥ {least:.0}× faster, {}", verdict(times >= least)))
            }
            Self::Below(most) => (one, format!("p99 < {}, {}", short(most), verdict(ours.p99 < most))),
            Self::None => (one, "–".to_owned()),
        }
    }
}

/// A factor with as many digits as it needs: `2.0`, `1.05`.
fn factor(factor: f64) -> String {
    let tenths = factor * 10.0;
    if (tenths - tenths.round()).abs() < 1e-9 { format!("{factor:.1}") } else { format!("{factor:.2}") }
}

/// The word for a met or a missed aim.
pub(super) const fn verdict(is_met: bool) -> &'static str {
    if is_met { "met" } else { "**missed**" }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| what (p50 / p99) | Nudge | yardstick | ratio | aim |\n|---|---|---|---|---|")?;
        for row in &self.compared {
            writeln!(f, "| {} |", row.join(" | "))?;
        }
        if !self.counted.is_empty() {
            writeln!(f, "\n| what | measured | aim |\n|---|---|---|")?;
        }
        for row in &self.counted {
            writeln!(f, "| {} |", row.join(" | "))?;
        }
        Ok(())
    }
}

/// A number with separators: `1,000,000`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// At most three digits, with a suitable unit.
pub(super) fn short(time: Duration) -> String {
    let micros = time.as_secs_f64() * 1e6;
    if micros < 10.0 {
        format!("{micros:.1} µs")
    } else if micros < 1_000.0 {
        format!("{micros:.0} µs")
    } else {
        format!("{:.2} ms", micros / 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_grouped() {
        assert_eq!([0, 999, 1_000, 1_000_000].map(grouped), ["0", "999", "1,000", "1,000,000"]);
    }

    #[test]
    fn a_row_says_whether_its_aim_is_met() {
        let figures =
            |micros| Figures { p50: Duration::from_micros(micros), p99: Duration::from_micros(2 * micros) };
        let mut table = Table::default();
        table.compare("`nudge get`", figures(1_500), ("bare", figures(1_000)), Aim::Median(2.0));
        table.compare("`nudge get`", figures(3_000), ("bare", figures(9)), Aim::Tail(2.0));
        let plus = Duration::from_micros(300);
        table.compare("search", figures(700), ("bare", figures(300)), Aim::Near(1.5, plus));
        table.compare("search", figures(700), ("bare", figures(14_000)), Aim::Faster(20.0));
        table.compare("start", figures(700), ("`true`", figures(350)), Aim::Below(Duration::from_millis(30)));
        table.rate("import", 40_000.0, ("bare", 100_000.0), Some(0.5));
        table.size("a row", 500.0, ("bare", 250.0));
        table.count("tokens", "1,400".to_owned(), "≤ 1,500, met");
        let expected = "\
| what (p50 / p99) | Nudge | yardstick | ratio | aim |
|---|---|---|---|---|
| `nudge get` | 1.50 ms / 3.00 ms | bare: 1.00 ms / 2.00 ms | 1.50× | ≤ 2.0×, met |
| `nudge get` | 3.00 ms / 6.00 ms | bare: 9.0 µs / 18 µs | 333.33× / 333.33× | p99 ≤ 2.0×, **missed** |
| search | 700 µs / 1.40 ms | bare: 300 µs / 600 µs | 2.33× / 2.33× | ≤ 1.5× + 300 µs, p50 met, p99 **missed** |
| search | 700 µs / 1.40 ms | bare: 14.00 ms / 28.00 ms | 20× / 20× faster | ≥ 20× faster, met |
| start | 700 µs / 1.40 ms | `true`: 350 µs / 700 µs | 2.00× | p99 < 30.00 ms, met |
| import | 40,000 rows/s | bare: 100,000 rows/s | 0.40× | ≥ 0.5×, **missed** |
| a row | 500 bytes | bare: 250 bytes | 2.00× | – |

| what | measured | aim |
|---|---|---|
| tokens | 1,400 | ≤ 1,500, met |
";
        assert_eq!(table.to_string(), expected);
        assert_eq!(table.far_off, ["`nudge get`"]);
        table.rate("import", 9_000.0, ("bare", 100_000.0), Some(0.5));
        assert!(!table.print());
    }
}
