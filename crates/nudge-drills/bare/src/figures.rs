//! Latencies, and the figures that summarise them.

use std::time::Duration;

use serde::Serialize;

/// How long each of many runs took.
#[derive(Debug, Default)]
pub struct Latencies(Vec<Duration>);

/// The summary of many runs, in microseconds.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    /// How many runs.
    pub n: usize,
    /// The median.
    pub p50_us: f64,
    /// The 99th percentile.
    pub p99_us: f64,
    /// The slowest.
    pub max_us: f64,
}

impl Latencies {
    /// Adds one run.
    pub fn push(&mut self, took: Duration) {
        self.0.push(took);
    }

    /// Summarises the runs; all zero when nothing ran.
    pub fn figures(&self) -> Figures {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let at = |share: f64| rank(&sorted, share).as_secs_f64() * 1e6;
        Figures { n: sorted.len(), p50_us: at(0.5), p99_us: at(0.99), max_us: at(1.0) }
    }
}

/// The nearest-rank percentile of sorted values.
fn rank(sorted: &[Duration], share: f64) -> Duration {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a length is a small index"
    )]
    let index = ((sorted.len() as f64 * share).ceil() as usize).saturating_sub(1);
    sorted.get(index).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let mut latencies = Latencies::default();
        for millis in (1..=100).rev() {
            latencies.push(Duration::from_millis(millis));
        }
        let expected = Figures { n: 100, p50_us: 50_000.0, p99_us: 99_000.0, max_us: 100_000.0 };
        assert_eq!(latencies.figures(), expected);
    }

    #[test]
    fn nothing_measured_is_zero() {
        assert_eq!(Latencies::default().figures(), Figures::default());
    }
}
