//! A scripted model, a client and one question.

use std::time::Duration;

use nudge_models::{
    Client, Completion, Deadlines, ErrorKind, Keys, ModelError, ModelRequest, ModelSpec, Progress, Provider,
};
use nudge_testkit::ScriptedModel;
use nudge_testkit::scripted_model::{MODEL, Step};

/// The key of every provider. No rule of the secret detector knows its form.
pub const KEY: &str = "plain-test-key-9876";

/// Long enough for a busy machine; waits are short.
pub const PATIENT: Deadlines = Deadlines {
    retry: Duration::from_secs(20),
    gateway: Duration::from_secs(20),
    server: Duration::from_secs(20),
    max_backoff: Duration::from_millis(5),
    fetch: Duration::from_secs(20),
    answer: Duration::from_secs(60),
};

pub const QUESTION: ModelRequest<'static> = ModelRequest {
    system: "Be brief.",
    user: "Who is there?",
    temperature: 0.5,
    max_tokens: Some(64),
    think: false,
    grammar: None,
    turn_id: "turn-1",
    referer: None,
    title: None,
};

/// What was reported on the way.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    Text(String),
    Reasoning(String),
    Retrying(ErrorKind, u32, Duration),
}

impl From<Progress<'_>> for Heard {
    fn from(progress: Progress<'_>) -> Self {
        match progress {
            Progress::Text(text) => Self::Text(text.to_owned()),
            Progress::Reasoning(text) => Self::Reasoning(text.to_owned()),
            Progress::Retrying { kind, attempt, wait } => Self::Retrying(kind, attempt, wait),
        }
    }
}

pub struct Asking {
    pub server: ScriptedModel,
    pub client: Client,
    pub spec: ModelSpec,
    pub keys: Keys,
    pub deadlines: Deadlines,
}

/// Keys of every provider, and no addresses.
pub fn all_keys() -> Keys {
    let env = |name: &str| name.ends_with("_API_KEY").then(|| KEY.to_owned());
    Keys::from_env(&env).expect("the key is valid")
}

impl Asking {
    pub fn new(provider: Provider, steps: Vec<Step>) -> Self {
        let server = ScriptedModel::start(steps);
        let mut spec = ModelSpec::parse("test", &format!("{provider}/{MODEL}")).expect("a model");
        spec.base_url = Some(server.base_url(provider.name()));
        Self { server, client: Client::new(), spec, keys: all_keys(), deadlines: PATIENT }
    }

    pub async fn ask(&self) -> (Result<Completion, ModelError>, Vec<Heard>) {
        self.ask_for(&QUESTION).await
    }

    pub async fn ask_for(&self, request: &ModelRequest<'_>) -> (Result<Completion, ModelError>, Vec<Heard>) {
        let mut heard = Vec::new();
        let mut on = |progress: Progress<'_>| heard.push(Heard::from(progress));
        let result = self.client.complete(&self.spec, &self.keys, request, self.deadlines, &mut on).await;
        (result, heard)
    }

    /// The answer of a call that succeeds.
    pub async fn answer(&self) -> Completion {
        self.ask().await.0.expect("the call succeeds")
    }

    /// The error of a call that fails.
    pub async fn error(&self) -> ModelError {
        self.ask().await.0.expect_err("the call fails")
    }
}
