//! Settings of runs: their limits, and how a model is asked.

/// The settings of runs.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSettings {
    /// How much of the model's context a packet may take, as a fraction. The rest is for the answer
    /// and for the error of the estimate.
    pub ceiling: f64,
    /// The most tokens of one entry that a run writes.
    pub max_entry_tokens: u32,
    /// The most turns of one loop.
    pub max_turns: u32,
    /// The most commands of one turn.
    pub max_commands: u32,
    /// How many turns with errors in a row end a loop.
    pub max_strikes: u32,
    /// How often turns must repeat to be a cycle.
    pub min_cycles: u32,
    /// The most turns that one cycle consists of.
    pub max_cycle_period: u32,
    /// How many days a run is kept after it ended.
    pub retention_days: u32,
    /// Whether the model is asked to reason before it answers.
    pub think: bool,
    /// The temperature that the model samples with.
    pub temperature: f64,
    /// How many seconds a model may send nothing before the request fails.
    pub fetch_timeout_s: u64,
    /// How many seconds an answer may take.
    pub answer_timeout_s: u64,
    /// For how many seconds a request is repeated while a model starts or limits its rate.
    pub retry_deadline_s: u64,
    /// The most seconds between two attempts.
    pub max_backoff_s: u64,
    /// The site that OpenRouter credits requests to; empty: none is sent.
    pub http_referer: String,
    /// The name that OpenRouter credits requests to; empty: none is sent.
    pub x_title: String,
}

impl Default for RunSettings {
    fn default() -> Self {
        Self {
            ceiling: 0.9,
            max_entry_tokens: 512,
            max_turns: 99,
            max_commands: 99,
            max_strikes: 3,
            min_cycles: 3,
            max_cycle_period: 4,
            retention_days: 31,
            think: false,
            temperature: 0.1,
            fetch_timeout_s: 300,
            answer_timeout_s: 3_600,
            retry_deadline_s: 600,
            max_backoff_s: 30,
            http_referer: String::new(),
            x_title: String::new(),
        }
    }
}
