//! Speed: `scale --rows N --words FILE [--runs N]` generates rows from a vocabulary
//! (`word<TAB>count` lines), builds the index and a bare engine over the same text, and prints p50
//! and p99 of both for the same queries.

#![expect(clippy::print_stdout, reason = "a measuring program prints its figures")]

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use nudge_index::{Budget, Document, Filters, Index, IndexWriter, Order, Page, Query};
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, ConstScoreQuery, Occur, Query as BareQuery, TermQuery};
use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::{Term, doc};

#[path = "../tests/recall/memory.rs"]
#[expect(dead_code, reason = "shared with the tests")]
mod memory;

struct Vocabulary {
    words: Vec<String>,
    sums: Vec<u64>,
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

impl Vocabulary {
    fn read(file: &str) -> Result<Self, Box<dyn Error>> {
        let (mut words, mut sums, mut sum) = (Vec::new(), Vec::new(), 0);
        for line in std::fs::read_to_string(file)?.lines() {
            let (word, count) = line.split_once('\t').ok_or("a line without a tab")?;
            sum += count.parse::<u64>()?;
            words.push(word.to_owned());
            sums.push(sum);
        }
        Ok(Self { words, sums })
    }

    fn total(&self) -> u64 {
        self.sums.last().copied().unwrap_or(1)
    }

    fn draw(&self, random: &mut Random) -> &str {
        let at = random.next() % self.total();
        &self.words[self.sums.partition_point(|sum| *sum <= at)]
    }

    /// Words with a share of all text between two bounds.
    fn band(&self, from: f64, to: f64) -> Vec<&str> {
        let share = |at: usize| {
            (self.sums[at] - if at > 0 { self.sums[at - 1] } else { 0 }) as f64 / self.total() as f64
        };
        let is_in = |&at: &usize| (from..to).contains(&share(at)) && self.words[at].len() > 2;
        (0..self.words.len()).filter(is_in).map(|at| self.words[at].as_str()).collect()
    }
}

struct Bare {
    index: tantivy::Index,
    text: Field,
    project: Field,
}

impl Bare {
    fn build(directory: &Path, rows: &[(String, i64)]) -> Result<Self, Box<dyn Error>> {
        let mut schema = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer("en_stem")
            .set_index_option(IndexRecordOption::WithFreqs);
        let text = schema.add_text_field("text", TextOptions::default().set_indexing_options(indexing));
        let project = schema.add_i64_field("project", INDEXED | FAST);
        let id = schema.add_i64_field("id", FAST);
        let index = tantivy::Index::create_in_dir(directory, schema.build())?;
        let mut writer: tantivy::IndexWriter = index.writer_with_num_threads(1, 50_000_000)?;
        for (number, (row, of)) in rows.iter().enumerate() {
            writer.add_document(doc!(text => row.as_str(), project => *of, id => number as i64))?;
        }
        writer.commit()?;
        writer.wait_merging_threads()?;
        Ok(Self { index, text, project })
    }

    fn query(&self, words: &[&str], project: Option<i64>) -> Result<Box<dyn BareQuery>, Box<dyn Error>> {
        let mut tokenizer = self.index.tokenizers().get("en_stem").ok_or("no stemmer")?;
        let mut clauses: Vec<(Occur, Box<dyn BareQuery>)> = Vec::new();
        for word in words {
            let mut stream = tokenizer.token_stream(word);
            while stream.advance() {
                let term = Term::from_field_text(self.text, &stream.token().text);
                clauses.push((Occur::Should, Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))));
            }
        }
        let query: Box<dyn BareQuery> = Box::new(BooleanQuery::new(clauses));
        let Some(project) = project else { return Ok(query) };
        let of = TermQuery::new(Term::from_field_i64(self.project, project), IndexRecordOption::Basic);
        let of: Box<dyn BareQuery> = Box::new(ConstScoreQuery::new(Box::new(of), 0.0));
        Ok(Box::new(BooleanQuery::new(vec![(Occur::Must, query), (Occur::Must, of)])))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let rows: usize = argument("--rows")?.parse()?;
    let runs: usize = argument("--runs").map_or(Ok(300), |runs| runs.parse())?;
    let words = Vocabulary::read(&argument("--words")?)?;
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let store = memory::Memory::default();
    let (mut texts, mut bytes) = (Vec::with_capacity(rows), 0);
    for id in 0..rows as i64 {
        let count = 8 + random.next() % 40;
        let drawn: Vec<&str> = (0..count).map(|_| words.draw(&mut random)).collect();
        let file = format!("src/m{:x}.rs", random.next() & 0xff_ffff);
        let share =
            ((id as u64 / 200).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11) as f64 / (1_u64 << 53) as f64;
        let project = 50_f64.powf(share) as i64 - 1;
        let (title, body) = drawn.split_at(drawn.len().min(8));
        let text = format!("{} {file}", drawn.join(" "));
        bytes += text.len();
        texts.push((text, project));
        store.put(Document {
            id,
            kind: (id % 18) as u8,
            project,
            session: id / 200,
            at: id * 1000,
            scheme: "observation".into(),
            title: title.join(" "),
            body: body.join(" "),
            files: vec![file],
        });
    }
    let (ours, theirs) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let begun = Instant::now();
    let mut writer = IndexWriter::acquire(ours.path())?.ok_or("the index is being written")?;
    writer.catch_up(&store, Budget::ALL)?;
    let built = begun.elapsed().as_secs_f64();
    let index = Index::open(ours.path());
    let status = index.status();
    println!(
        "{rows} rows, {:.1} MB of text: built in {built:.1} s, {:.1} MB, {} segments",
        bytes as f64 / 1e6,
        size(ours.path())? as f64 / 1e6,
        status.segments
    );
    let begun = Instant::now();
    let bare = Bare::build(theirs.path(), &texts)?;
    println!(
        "bare: built in {:.1} s, {:.1} MB",
        begun.elapsed().as_secs_f64(),
        size(theirs.path())? as f64 / 1e6
    );
    let searcher = bare.index.reader()?.searcher();
    let (rare, middling, common) = (words.band(0.0, 3e-6), words.band(1e-5, 1e-4), words.band(5e-4, 1.0));
    let shapes: [(&str, [usize; 3], Option<i64>); 5] = [
        ("one rare word", [1, 0, 0], None),
        ("three words", [0, 3, 0], None),
        ("eight-word prompt", [2, 4, 2], None),
        ("the same in project 0 (18 %)", [2, 4, 2], Some(0)),
        ("the same in project 40 (0.6 %)", [2, 4, 2], Some(40)),
    ];
    for (name, counts, project) in shapes {
        let mut random = Random(42);
        let (mut own, mut other) = (Vec::new(), Vec::new());
        for _ in 0..runs {
            let mut asked = Vec::new();
            for (band, count) in [&rare, &middling, &common].into_iter().zip(counts) {
                asked.extend((0..count).map(|_| band[(random.next() % band.len() as u64) as usize]));
            }
            let text = asked.join(" ");
            let begun = Instant::now();
            let query = Query::of_prompt(&text).ok_or("no word")?;
            let filters = Filters { projects: project.into_iter().collect(), ..Filters::default() };
            index.search(&store, &query, &filters, Order::Relevance, Page::default(), 0)?;
            own.push(begun.elapsed().as_secs_f64() * 1e3);
            let begun = Instant::now();
            let query = bare.query(&asked, project)?;
            searcher.search(&*query, &TopDocs::with_limit(20).order_by_score())?;
            other.push(begun.elapsed().as_secs_f64() * 1e3);
        }
        println!("{name:32} {}   bare {}", shown(&mut own), shown(&mut other));
    }
    // Another index in this process would share what this one has read.
    drop(index);
    let begun = Instant::now();
    let cold = Index::open(ours.path());
    let query = Query::of_prompt(rare[0]).ok_or("no word")?;
    cold.search(&store, &query, &Filters::default(), Order::Relevance, Page::default(), 0)?;
    println!("open and first search {:.3} ms", begun.elapsed().as_secs_f64() * 1e3);
    for id in 0..1000 {
        store.put(memory::note(rows as i64 + id, &format!("{} {}", texts[id as usize].0, rare[0])));
    }
    let begun = Instant::now();
    cold.search(&store, &query, &Filters::default(), Order::Relevance, Page::default(), 0)?;
    println!("with a tail of 1,000 entries {:.3} ms", begun.elapsed().as_secs_f64() * 1e3);
    let begun = Instant::now();
    writer.catch_up(&store, Budget::ALL)?;
    println!("those 1,000 taken in in {:.1} ms", begun.elapsed().as_secs_f64() * 1e3);
    let begun = Instant::now();
    writer.purge(&[17, rows as i64 / 2])?;
    println!("two entries purged in {:.1} ms", begun.elapsed().as_secs_f64() * 1e3);
    Ok(())
}

fn shown(times: &mut [f64]) -> String {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    format!("p50 {:7.3} ms p99 {:7.3} ms", at(0.5), at(0.99))
}

fn size(directory: &Path) -> std::io::Result<u64> {
    std::fs::read_dir(directory)?.map(|file| Ok(file?.metadata()?.len())).sum()
}

fn argument(name: &str) -> Result<String, String> {
    let mut arguments = std::env::args().skip_while(|argument| argument != name).skip(1);
    arguments.next().ok_or_else(|| format!("{name} is missing"))
}
