//! Items that say the same.

use std::collections::HashMap;

use super::{NotShown, Source};
use crate::assemble::LeftOut;

/// Long texts that share at least this part of their words say the same. Shorter ones must have the
/// same words.
const SAME: f64 = 0.9;
const LONG: usize = 30;

/// The sources without items that repeat an earlier one, and the repeats.
pub(super) fn without_repeats(mut sources: Vec<Source>) -> (Vec<Source>, Vec<NotShown>) {
    let mut known: Vec<Known> = Vec::new();
    let mut left_out = Vec::new();
    for source in &mut sources {
        let name = source.name;
        source.items.retain(|item| {
            let new = Known {
                entry: item.entry.0,
                file: item.file.clone(),
                is_stated: item.is_stated,
                words: words(&item.text),
            };
            let why = known.iter().find_map(|known| known.repeats(&new));
            match why {
                None => known.push(new),
                Some(why) => left_out.push(NotShown { entry: item.entry, source: name, why }),
            }
            why.is_none()
        });
    }
    (sources, left_out)
}

struct Known {
    entry: i64,
    file: Option<String>,
    is_stated: bool,
    words: HashMap<String, usize>,
}

impl Known {
    /// Why another item need not be shown next to it; `None` if it should be.
    fn repeats(&self, other: &Self) -> Option<LeftOut> {
        let nearly = !self.is_stated && !other.is_stated;
        if self.file.is_some() && self.file == other.file {
            Some(LeftOut::SameFile)
        } else if self.entry == other.entry || alike(&self.words, &other.words, nearly) {
            Some(LeftOut::Same)
        } else {
            None
        }
    }
}

fn words(text: &str) -> HashMap<String, usize> {
    let mut words = HashMap::new();
    let split = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    for word in split {
        *words.entry(word.to_lowercase()).or_default() += 1;
    }
    words
}

/// Whether two texts have the same words. With `nearly`, long texts may differ a little.
fn alike(one: &HashMap<String, usize>, other: &HashMap<String, usize>, nearly: bool) -> bool {
    let count = |words: &HashMap<String, usize>| words.values().sum::<usize>();
    let longer = count(one).max(count(other));
    if longer == 0 {
        return false;
    }
    let common: usize = one.iter().map(|(word, times)| *times.min(other.get(word).unwrap_or(&0))).sum();
    common as f64 / longer as f64 >= if nearly && longer >= LONG { SAME } else { 1.0 }
}
