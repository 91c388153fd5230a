//! The client: a call with its retries.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::{Instant, sleep, timeout};

use crate::completion::Completion;
use crate::context;
use crate::endpoint::Endpoint;
use crate::error::ModelError;
use crate::keys::Keys;
use crate::progress::Progress;
use crate::request::ModelRequest;
use crate::retry::{Deadlines, Retries};
use crate::shape::Shape;
use crate::spec::ModelSpec;
use crate::stream::Attempt;
use crate::transport::Transport;

/// Calls models. A clone shares connections and what was learned about models.
#[derive(Clone, Debug)]
pub struct Client {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    transport: Transport,
    /// What each model accepts, by server and name.
    shapes: Mutex<HashMap<(String, String), Shape>>,
}

impl Default for Client {
    fn default() -> Self {
        Self::new()
    }
}

impl Client {
    /// A client without connections. Nothing is sent until a call.
    pub fn new() -> Self {
        Self { inner: Arc::new(Inner { transport: Transport::new(), shapes: Mutex::default() }) }
    }

    /// Sends a request and reports the answer as it arrives.
    ///
    /// Failures that may pass are tried again until their deadline, but only before the first
    /// output. Dropping the future closes the connection, which ends the work at the provider.
    pub async fn complete(
        &self,
        spec: &ModelSpec,
        keys: &Keys,
        request: &ModelRequest<'_>,
        deadlines: Deadlines,
        on: &mut (dyn FnMut(Progress<'_>) + Send),
    ) -> Result<Completion, ModelError> {
        let endpoint = Endpoint::of(spec, keys)?;
        let transport = &self.inner.transport;
        let attempt = Attempt { transport, endpoint: &endpoint, spec, request, silence: deadlines.fetch };
        let mut shape = self.shape(&endpoint, spec);
        let mut retries = Retries::new(deadlines);
        let began = Instant::now();
        loop {
            let answered = timeout(deadlines.answer, attempt.run(&shape, &mut *on)).await;
            let failure = match answered {
                Ok(Ok(completion)) => return Ok(completion),
                Ok(Err(failure)) => failure,
                Err(_) => return Err(attempt.too_slow(deadlines.answer)),
            };
            let (error, body) = (failure.error, failure.body.as_deref());
            if let (Some(status), Some(body)) = (error.status, body)
                && shape.adapt(status, body)
            {
                self.remember(&endpoint, spec, shape);
                continue;
            }
            let Some(again) = retries.after(&error, began.elapsed()) else { return Err(error) };
            on(Progress::Retrying { kind: error.kind, attempt: again.attempt, wait: again.wait });
            sleep(again.wait).await;
        }
    }

    /// How many tokens the model's server says it takes. `None` if it is not configured, does not
    /// say, or does not answer within a few seconds.
    pub async fn context_length(&self, spec: &ModelSpec, keys: &Keys) -> Option<u32> {
        let endpoint = Endpoint::of(spec, keys).ok()?;
        context::length(&self.inner.transport, &endpoint, spec).await
    }

    fn shape(&self, endpoint: &Endpoint, spec: &ModelSpec) -> Shape {
        let shapes = self.inner.shapes.lock().unwrap_or_else(PoisonError::into_inner);
        shapes.get(&(endpoint.host(), spec.name.clone())).copied().unwrap_or_default()
    }

    /// Later calls begin with this shape. Their ids are their own, so changes count from 0.
    fn remember(&self, endpoint: &Endpoint, spec: &ModelSpec, shape: Shape) {
        let mut shapes = self.inner.shapes.lock().unwrap_or_else(PoisonError::into_inner);
        shapes.insert((endpoint.host(), spec.name.clone()), Shape { changes: 0, ..shape });
    }
}
