// Written by `cargo xtask web types` from the registry of operations. Do not edit.

/** The operations: what each takes and what it answers. */
export interface Operations {
  /** Search what was done and stated before: commands, errors, edits, prompts, commits, statements, hints. */
  search: { params: {
    query: string;
    project?: string | null;
    obs_type?: string;
    limit?: number;
    offset?: number;
    orderBy?: "relevance" | "blended";
    file?: string;
    session?: string;
    since?: number;
    until?: number;
    mode?: "query" | "text" | "all";
  }; result: {
    results: ({
      id: number;
      timestamp: number;
      at?: string;
      obs_type: string;
      answer?: {
        id: number;
        text: string;
      };
      content_preview: string;
      line?: number;
      partial?: boolean;
      file_path?: string | null;
      session_id?: string | null;
      project?: string;
      stated_by?: string;
      followed?: string;
      why: string;
      tokens: number;
    })[];
    withheld?: {
      count: number;
      at_least?: boolean;
    };
    own_session?: {
      count: number;
      at_least?: boolean;
    };
    did_you_mean?: Record<string, string>;
    relaxed?: boolean;
    more?: boolean;
    left_out?: {
      count: number;
      at_least?: boolean;
    };
    next?: string;
  } };
  /** Get whole entries by the ids in search results. */
  get_observations: { params: {
    ids: number[];
    around?: number;
  }; result: ({
    id: number;
    timestamp: number;
    at?: string;
    session_id?: string | null;
    project?: string | null;
    obs_type: string;
    source_event?: string | null;
    tool_name?: string | null;
    stated_by?: string | null;
    content: string;
    file_path?: string | null;
    metadata: Record<string, unknown>;
  })[] };
  /** Return what happened just before and after an observation. */
  timeline: { params: {
    anchor: number;
    before?: number;
    after?: number;
  }; result: {
    anchor: {
      id: number;
      timestamp: number;
      at?: string;
      session_id?: string | null;
      project?: string | null;
      obs_type: string;
      source_event?: string | null;
      tool_name?: string | null;
      stated_by?: string | null;
      content: string;
      file_path?: string | null;
      metadata: Record<string, unknown>;
    };
    before: ({
      id: number;
      timestamp: number;
      at?: string;
      session_id?: string | null;
      project?: string | null;
      obs_type: string;
      source_event?: string | null;
      tool_name?: string | null;
      stated_by?: string | null;
      content: string;
      file_path?: string | null;
      metadata: Record<string, unknown>;
    })[];
    after: ({
      id: number;
      timestamp: number;
      at?: string;
      session_id?: string | null;
      project?: string | null;
      obs_type: string;
      source_event?: string | null;
      tool_name?: string | null;
      stated_by?: string | null;
      content: string;
      file_path?: string | null;
      metadata: Record<string, unknown>;
    })[];
    truncated?: boolean;
  } };
  /** List recent work, most important first: edits and commits before commands before reads, new before old. */
  recent_context: { params: {
    project?: string | null;
    limit?: number;
    only?: boolean;
  }; result: ({
    id: number;
    timestamp: number;
    at?: string;
    session_id?: string | null;
    project?: string | null;
    obs_type: string;
    source_event?: string | null;
    tool_name?: string | null;
    stated_by?: string | null;
    content: string;
    file_path?: string | null;
    metadata: Record<string, unknown>;
    score: number;
  })[] };
  /** List the newest sessions: the user's goal, time, agent, changed files, how it ended. */
  list_sessions: { params: {
    project?: string | null;
    limit?: number;
    before?: string | null;
  }; result: ({
    session_id: string;
    agent: string;
    project?: string | null;
    name?: string | null;
    goal?: string | null;
    started_at: string;
    timestamp: number;
    at: string;
    ended: string;
    files: string[];
    more_files?: number;
    commits?: number;
  })[] };
  /** Return one session in order: each prompt with what was done about it. */
  session_trace: { params: {
    session_id: string;
    before?: number;
    after?: number;
  }; result: {
    session_id: string;
    project?: string | null;
    started_at: number;
    ended_at?: number | null;
    summary?: Record<string, unknown> | null;
    prompts: ({
      prompt_id?: number | null;
      timestamp: number;
      source: string;
      content: string;
      said?: string | null;
      about?: string | null;
      observation_count: number;
      observations: ({
        id: number;
        timestamp: number;
        obs_type: string;
        file_path?: string | null;
        content_preview: string;
        stated_by?: string | null;
        is_pinned: boolean;
      })[];
    })[];
    truncated?: boolean;
  } };
  /** List the sessions that read or changed a file, and what the user had asked for. Call before you change a file you don't know. */
  file_history: { params: {
    file_path: string;
    before?: number;
    after?: number;
    limit?: number;
  }; result: {
    file_path: string;
    sessions: ({
      session_id: string;
      project?: string | null;
      started_at: number;
      summary_intent?: string | null;
      touches: ({
        observation_id: number;
        timestamp: number;
        obs_type: string;
        content_preview: string;
        prompt_content?: string | null;
        is_pinned: boolean;
      })[];
    })[];
  } };
  /** List the sessions that work now, those that stopped unseen, and the newest others. */
  overview: { params: {
    project?: string | null;
  }; result: {
    stopped: ({
      session_id: string;
      agent: string;
      project?: string | null;
      name?: string | null;
      request?: string | null;
      state: string;
      started_at: string;
      last_at: string;
      last?: {
        kind: string;
        text: string;
        failed?: boolean;
      } | null;
      verdict?: string | null;
      files: string[];
      more_files: number;
      commits: number;
      activity: number[];
      failures: number[];
    })[];
    working: ({
      session_id: string;
      agent: string;
      project?: string | null;
      name?: string | null;
      request?: string | null;
      state: string;
      started_at: string;
      last_at: string;
      last?: {
        kind: string;
        text: string;
        failed?: boolean;
      } | null;
      verdict?: string | null;
      files: string[];
      more_files: number;
      commits: number;
      activity: number[];
      failures: number[];
    })[];
    earlier: ({
      session_id: string;
      agent: string;
      project?: string | null;
      name?: string | null;
      request?: string | null;
      state: string;
      started_at: string;
      last_at: string;
      last?: {
        kind: string;
        text: string;
        failed?: boolean;
      } | null;
      verdict?: string | null;
      files: string[];
      more_files: number;
      commits: number;
      activity: number[];
      failures: number[];
    })[];
  } };
  /** Report what repeats across sessions: failed commands, errors and requests, most recent and frequent first. */
  learn: { params: {
    project?: string | null;
    threshold?: number;
    half_life_hours?: number;
    limit?: number;
    failures_only?: boolean;
  }; result: {
    project?: string | null;
    threshold: number;
    half_life_hours: number;
    failed_commands: {
      pattern: string;
      newest: string;
      id: number;
      session_id: string;
      count: number;
      sessions: number;
      first_seen: number;
      last_seen: number;
      heat: number;
      projects?: string[];
      exit?: number;
      command?: string;
      ran_later?: {
        command: string;
        timestamp: number;
        session_id: string;
      };
      worked_after?: {
        command: string;
        timestamp: number;
        session_id: string;
      };
      followed?: string;
    }[];
    error_signatures: {
      pattern: string;
      newest: string;
      id: number;
      session_id: string;
      count: number;
      sessions: number;
      first_seen: number;
      last_seen: number;
      heat: number;
      projects?: string[];
      exit?: number;
      command?: string;
      ran_later?: {
        command: string;
        timestamp: number;
        session_id: string;
      };
      worked_after?: {
        command: string;
        timestamp: number;
        session_id: string;
      };
      followed?: string;
    }[];
    intents: {
      pattern: string;
      newest: string;
      id: number;
      session_id: string;
      count: number;
      sessions: number;
      first_seen: number;
      last_seen: number;
      heat: number;
      projects?: string[];
      exit?: number;
      command?: string;
      ran_later?: {
        command: string;
        timestamp: number;
        session_id: string;
      };
      worked_after?: {
        command: string;
        timestamp: number;
        session_id: string;
      };
      followed?: string;
    }[];
    changed_together?: {
      files: string[];
      sessions: number;
      of: number;
      last_seen: number;
    }[];
    left_out: {
      failed_commands: number;
      error_signatures: number;
      intents: number;
    };
    looked_at: {
      failed_commands: number;
      prompts: number;
      only?: string;
    };
  } };
  /** Find earlier failures with the same error or command, and what ran or changed before they passed. Call when a command fails. */
  find_fix: { params: {
    error: string;
    project?: string | null;
  }; result: {
    known: ({
      id: number;
      error?: string | null;
      command: string;
      times: number;
      sessions: number;
      last: number;
      followed?: string | null;
    })[];
    alike?: ({
      id: number;
      command: string;
      text: string;
      last: number;
      followed?: string | null;
    })[];
  } };
  /** Collect what memory has about a task into one text of at most max_tokens: statements, hints, earlier prompts, conclusions, failures, edits, commits. Explains why each item is included. */
  assemble_context: { params: {
    query: string;
    context_types?: ("memories" | "experiences" | "code" | "commits" | "values")[];
    limit?: number;
    max_tokens?: number;
    project?: string | null;
  }; result: {
    markdown: string;
    token_count: number;
    item_count: number;
    truncated: boolean;
    items: {
      id: number;
      source: string;
      tokens: number;
      why: string;
      cut?: boolean;
    }[];
    left_out?: {
      id: number;
      source: string;
      why: string;
    }[];
    sources?: {
      source: string;
      tokens: number;
      used: number;
    }[];
    skipped?: {
      source: string;
      why: string;
    }[];
  } };
  /** Preview the context that a new session here would get, what would be left out, and why. */
  preview_context: { params: {
    project?: string | null;
    recovery?: boolean;
    seed?: boolean;
    prompt?: string | null;
    tokens?: number | null;
  }; result: {
    project?: string | null;
    mode: string;
    text: string;
    tokens: number;
    budget: number;
    injected: ({
      id?: number | null;
      section: string;
      tokens: number;
      why: string;
    })[];
    left_out: {
      id: number;
      why: string;
    }[];
    rules_left_out?: number;
    decision?: {
      speaks: boolean;
      score: number;
      least: number;
      features: Record<string, number>;
    } | null;
  } };
  /** Explain the last injection in this project line by line; or explain one entry: when it was injected, and if not, why. */
  explain_injection: { params: {
    id?: number | null;
    project?: string | null;
    limit?: number | null;
    before?: string | null;
    session?: string | null;
    tokens?: number | null;
    enabled?: boolean | null;
  }; result: {
    injection?: {
      at: string;
      session: string;
      project?: string | null;
      cause: string;
      mode: string;
      tokens: number;
      lines: number;
      injected: ({
        id: number;
        what: string;
        why: string;
        section?: string | null;
        tokens: number;
        used_at?: string | null;
      })[];
      left_out: ({
        id: number;
        what: string;
        why: string;
        section?: string | null;
        tokens: number;
        used_at?: string | null;
      })[];
      decision?: {
        speaks: boolean;
        score: number;
        least: number;
        features: Record<string, number>;
      } | null;
    } | null;
    earlier?: ({
      at: string;
      session: string;
      project?: string | null;
      cause: string;
      mode: string;
      tokens: number;
      lines: number;
      injected: ({
        id: number;
        what: string;
        why: string;
        section?: string | null;
        tokens: number;
        used_at?: string | null;
      })[];
      left_out: ({
        id: number;
        what: string;
        why: string;
        section?: string | null;
        tokens: number;
        used_at?: string | null;
      })[];
      decision?: {
        speaks: boolean;
        score: number;
        least: number;
        features: Record<string, number>;
      } | null;
    })[];
    start?: {
      at: string;
      session: string;
      project?: string | null;
      cause: string;
      mode: string;
      tokens: number;
      lines: number;
      injected: ({
        id: number;
        what: string;
        why: string;
        section?: string | null;
        tokens: number;
        used_at?: string | null;
      })[];
      left_out: ({
        id: number;
        what: string;
        why: string;
        section?: string | null;
        tokens: number;
        used_at?: string | null;
      })[];
      decision?: {
        speaks: boolean;
        score: number;
        least: number;
        features: Record<string, number>;
      } | null;
    } | null;
    entry?: {
      id: number;
      what: string;
      now: string;
      injected: ({
        at: string;
        session: string;
        cause: string;
        why: string;
        tokens: number;
        used_at?: string | null;
      })[];
      left_out: ({
        at: string;
        session: string;
        cause: string;
        why: string;
        tokens: number;
        used_at?: string | null;
      })[];
    } | null;
  } };
  /** Count what was injected into agents' sessions, what it cost, and how much of it they used. */
  injection_usage: { params: {
    days?: number | null;
    session?: string | null;
    project?: string | null;
  }; result: {
    total: {
      injections: number;
      lines: number;
      tokens: number;
      used_lines: number;
      used_tokens: number;
    };
    days: {
      day: string;
      injections: number;
      lines: number;
      tokens: number;
      used_lines: number;
      used_tokens: number;
    }[];
    sessions: {
      session: string;
      agent: string;
      project: string;
      at: string;
      injections: number;
      lines: number;
      tokens: number;
      used_lines: number;
      used_tokens: number;
    }[];
  } };
  /** Save what applies here from now on: a preference, a decision, how something is done. */
  remember: { params: {
    text: string;
    category?: "preference" | "fact" | "event" | "workflow" | "context" | "error" | "decision" | null;
    directory?: string | null;
    quote?: string | null;
  }; result: {
    statement: {
      id: number;
      text: string;
      category: "preference" | "fact" | "event" | "workflow" | "context" | "error" | "decision";
      state: "stands" | "corrected" | "forgotten";
      stated_by: string;
      origin: "remembered" | "accepted" | "said_twice" | "said_once" | "agent";
      directory?: string | null;
      times: number;
      sessions: number;
      said_at: string;
      everywhere?: boolean;
      drift?: string | null;
      against?: number | null;
      silenced?: boolean;
      routine?: boolean;
      successor?: number | null;
      predecessor?: number | null;
    };
    created: boolean;
    project?: string | null;
    replaced?: {
      id: number;
      text: string;
      stated_by: string;
    }[];
    contradicts?: {
      id: number;
      text: string;
      stated_by: string;
    }[];
    note?: string | null;
  } };
  /** Replace a statement that is no longer true. The old text is not injected again. */
  correct: { params: {
    id: number | string;
    text: string;
  }; result: {
    statement: {
      id: number;
      text: string;
      category: "preference" | "fact" | "event" | "workflow" | "context" | "error" | "decision";
      state: "stands" | "corrected" | "forgotten";
      stated_by: string;
      origin: "remembered" | "accepted" | "said_twice" | "said_once" | "agent";
      directory?: string | null;
      times: number;
      sessions: number;
      said_at: string;
      everywhere?: boolean;
      drift?: string | null;
      against?: number | null;
      silenced?: boolean;
      routine?: boolean;
      successor?: number | null;
      predecessor?: number | null;
    };
    corrected?: {
      id: number;
      text: string;
      category: "preference" | "fact" | "event" | "workflow" | "context" | "error" | "decision";
      state: "stands" | "corrected" | "forgotten";
      stated_by: string;
      origin: "remembered" | "accepted" | "said_twice" | "said_once" | "agent";
      directory?: string | null;
      times: number;
      sessions: number;
      said_at: string;
      everywhere?: boolean;
      drift?: string | null;
      against?: number | null;
      silenced?: boolean;
      routine?: boolean;
      successor?: number | null;
      predecessor?: number | null;
    } | null;
    proposal?: {
      id?: number | null;
      state: "waiting" | "accepted" | "dropped" | "replaced" | "expired";
      why: string;
      next: string;
    } | null;
    contradicts?: {
      id: number;
      text: string;
      stated_by: string;
    }[];
  } };
  /** Remove a statement that no longer applies. It is not injected again. */
  forget: { params: {
    id: number | string;
  }; result: {
    statement: {
      id: number;
      text: string;
      category: "preference" | "fact" | "event" | "workflow" | "context" | "error" | "decision";
      state: "stands" | "corrected" | "forgotten";
      stated_by: string;
      origin: "remembered" | "accepted" | "said_twice" | "said_once" | "agent";
      directory?: string | null;
      times: number;
      sessions: number;
      said_at: string;
      everywhere?: boolean;
      drift?: string | null;
      against?: number | null;
      silenced?: boolean;
      routine?: boolean;
      successor?: number | null;
      predecessor?: number | null;
    };
    corrected?: {
      id: number;
      text: string;
      category: "preference" | "fact" | "event" | "workflow" | "context" | "error" | "decision";
      state: "stands" | "corrected" | "forgotten";
      stated_by: string;
      origin: "remembered" | "accepted" | "said_twice" | "said_once" | "agent";
      directory?: string | null;
      times: number;
      sessions: number;
      said_at: string;
      everywhere?: boolean;
      drift?: string | null;
      against?: number | null;
      silenced?: boolean;
      routine?: boolean;
      successor?: number | null;
      predecessor?: number | null;
    } | null;
    proposal?: {
      id?: number | null;
      state: "waiting" | "accepted" | "dropped" | "replaced" | "expired";
      why: string;
      next: string;
    } | null;
    contradicts?: {
      id: number;
      text: string;
      stated_by: string;
    }[];
  } };
  /** List the statements that apply in this project, from the user and from agents. */
  knows: { params: {
    project?: string | null;
    all?: boolean;
  }; result: {
    project?: string | null;
    statements: ({
      id: number;
      text: string;
      category: "preference" | "fact" | "event" | "workflow" | "context" | "error" | "decision";
      state: "stands" | "corrected" | "forgotten";
      stated_by: string;
      origin: "remembered" | "accepted" | "said_twice" | "said_once" | "agent";
      directory?: string | null;
      times: number;
      sessions: number;
      said_at: string;
      everywhere?: boolean;
      drift?: string | null;
      against?: number | null;
      silenced?: boolean;
      routine?: boolean;
      successor?: number | null;
      predecessor?: number | null;
    })[];
    left_out?: number;
    waiting: number;
    pinned: number;
  } };
  /** Stop injecting an entry in a project, or inject it again. It stays readable. */
  silence: { params: {
    id: number | string;
    project?: string | null;
    again?: boolean;
  }; result: {
    id: number;
    what: string;
    silenced: boolean;
    changed: boolean;
    project?: string | null;
  } };
  /** Get a known fact (command, path, setting) by component and key. Call before you build, test, run or deploy. */
  get_hint: { params: {
    component: string;
    key: string;
    context?: {
      cwd?: string | null;
      repo?: string | null;
      branch?: string | null;
      os?: "linux" | "darwin" | "windows" | null;
      env?: Record<string, string> | null;
      files_open?: string[];
    } | null;
  }; result: {
    hint: {
      id: number;
      component: string;
      key: string;
      value: string | Record<string, unknown>;
      meta: {
        reason?: string | null;
        tags?: string[] | null;
        priority?: number | null;
        confidence?: number | null;
        ttl?: string | null;
        sensitivity?: "normal" | "secret" | null;
        scope?: {
          cwd_glob?: string[];
          repo?: string | string[] | null;
          branch?: string[];
          os?: ("linux" | "darwin" | "windows")[];
          env_required?: string[];
          env_match?: Record<string, string | string[]>;
        } | null;
        source?: "user" | "agent" | "tool-output" | "file-import" | null;
        added_by?: string | null;
      };
      version: number;
      created_at: string;
      updated_at: string;
      last_used_at?: string | null;
      use_count: number;
      expires_at?: string | null;
      stated_by?: string;
      origin: {
        source: string;
        tier: string;
        client?: string | null;
        session?: string | null;
      };
    };
    match_explain: {
      matched: boolean;
      score: number;
      reasons: string[];
    };
  } };
  /** Save a fact that was costly to find: a command that worked, a path, a setting. Replaces the hint with the same component, key and meta.scope. */
  set_hint: { params: {
    component: string;
    key: string;
    value: string | Record<string, unknown>;
    meta?: {
      reason?: string | null;
      tags?: string[] | null;
      priority?: number | null;
      confidence?: number | null;
      ttl?: string | null;
      sensitivity?: "normal" | "secret" | null;
      scope?: {
        cwd_glob?: string[];
        repo?: string | string[] | null;
        branch?: string[];
        os?: ("linux" | "darwin" | "windows")[];
        env_required?: string[];
        env_match?: Record<string, string | string[]>;
      } | null;
      source?: "user" | "agent" | "tool-output" | "file-import" | null;
      added_by?: string | null;
    } | null;
    if_match_version?: number | null;
  }; result: {
    hint?: {
      id: number;
      component: string;
      key: string;
      value: string | Record<string, unknown>;
      meta: {
        reason?: string | null;
        tags?: string[] | null;
        priority?: number | null;
        confidence?: number | null;
        ttl?: string | null;
        sensitivity?: "normal" | "secret" | null;
        scope?: {
          cwd_glob?: string[];
          repo?: string | string[] | null;
          branch?: string[];
          os?: ("linux" | "darwin" | "windows")[];
          env_required?: string[];
          env_match?: Record<string, string | string[]>;
        } | null;
        source?: "user" | "agent" | "tool-output" | "file-import" | null;
        added_by?: string | null;
      };
      version: number;
      created_at: string;
      updated_at: string;
      last_used_at?: string | null;
      use_count: number;
      expires_at?: string | null;
      stated_by?: string;
      origin: {
        source: string;
        tier: string;
        client?: string | null;
        session?: string | null;
      };
    } | null;
    proposal?: {
      id?: number | null;
      state: "waiting" | "accepted" | "dropped" | "replaced" | "expired";
      why: string;
      next: string;
    } | null;
  } };
  /** Find hints by component, keys, tags or regex, best first. Call when something fails or you don't know the key. */
  query: { params: {
    component?: string | null;
    keys?: string[];
    tags?: string[];
    regex?: string | null;
    context?: {
      cwd?: string | null;
      repo?: string | null;
      branch?: string | null;
      os?: "linux" | "darwin" | "windows" | null;
      env?: Record<string, string> | null;
      files_open?: string[];
    } | null;
    limit?: number | null;
  }; result: {
    hints: ({
      hint: {
        id: number;
        component: string;
        key: string;
        value: string | Record<string, unknown>;
        meta: {
          reason?: string | null;
          tags?: string[] | null;
          priority?: number | null;
          confidence?: number | null;
          ttl?: string | null;
          sensitivity?: "normal" | "secret" | null;
          scope?: {
            cwd_glob?: string[];
            repo?: string | string[] | null;
            branch?: string[];
            os?: ("linux" | "darwin" | "windows")[];
            env_required?: string[];
            env_match?: Record<string, string | string[]>;
          } | null;
          source?: "user" | "agent" | "tool-output" | "file-import" | null;
          added_by?: string | null;
        };
        version: number;
        created_at: string;
        updated_at: string;
        last_used_at?: string | null;
        use_count: number;
        expires_at?: string | null;
        stated_by?: string;
        origin: {
          source: string;
          tier: string;
          client?: string | null;
          session?: string | null;
        };
      };
      score: number;
      match_explain: {
        matched: boolean;
        score: number;
        reasons: string[];
      };
    })[];
    left_out: {
      not_eligible: number;
      over_limit: number;
      secret: number;
      unreadable?: number;
    };
  } };
  /** Report that a hint worked, so that it ranks higher. Call it after the command or path in a hint succeeded. */
  bump: { params: {
    component: string;
    key: string;
    delta?: number | null;
    context?: {
      cwd?: string | null;
      repo?: string | null;
      branch?: string | null;
      os?: "linux" | "darwin" | "windows" | null;
      env?: Record<string, string> | null;
      files_open?: string[];
    } | null;
  }; result: {
    hint: {
      id: number;
      component: string;
      key: string;
      value: string | Record<string, unknown>;
      meta: {
        reason?: string | null;
        tags?: string[] | null;
        priority?: number | null;
        confidence?: number | null;
        ttl?: string | null;
        sensitivity?: "normal" | "secret" | null;
        scope?: {
          cwd_glob?: string[];
          repo?: string | string[] | null;
          branch?: string[];
          os?: ("linux" | "darwin" | "windows")[];
          env_required?: string[];
          env_match?: Record<string, string | string[]>;
        } | null;
        source?: "user" | "agent" | "tool-output" | "file-import" | null;
        added_by?: string | null;
      };
      version: number;
      created_at: string;
      updated_at: string;
      last_used_at?: string | null;
      use_count: number;
      expires_at?: string | null;
      stated_by?: string;
      origin: {
        source: string;
        tier: string;
        client?: string | null;
        session?: string | null;
      };
    };
  } };
  /** Delete a hint that is wrong or out of date. If the user stated it, the deletion becomes a proposal. */
  delete_hint: { params: {
    component: string;
    key: string;
    context?: {
      cwd?: string | null;
      repo?: string | null;
      branch?: string | null;
      os?: "linux" | "darwin" | "windows" | null;
      env?: Record<string, string> | null;
      files_open?: string[];
    } | null;
  }; result: {
    deleted: boolean;
    previous?: {
      id: number;
      component: string;
      key: string;
      value: string | Record<string, unknown>;
      meta: {
        reason?: string | null;
        tags?: string[] | null;
        priority?: number | null;
        confidence?: number | null;
        ttl?: string | null;
        sensitivity?: "normal" | "secret" | null;
        scope?: {
          cwd_glob?: string[];
          repo?: string | string[] | null;
          branch?: string[];
          os?: ("linux" | "darwin" | "windows")[];
          env_required?: string[];
          env_match?: Record<string, string | string[]>;
        } | null;
        source?: "user" | "agent" | "tool-output" | "file-import" | null;
        added_by?: string | null;
      };
      version: number;
      created_at: string;
      updated_at: string;
      last_used_at?: string | null;
      use_count: number;
      expires_at?: string | null;
      stated_by?: string;
      origin: {
        source: string;
        tier: string;
        client?: string | null;
        session?: string | null;
      };
    } | null;
    proposal?: {
      id?: number | null;
      state: "waiting" | "accepted" | "dropped" | "replaced" | "expired";
      why: string;
      next: string;
    } | null;
  } };
  /** List the components that have hints, with the number of hints. */
  list_components: { params: Record<string, never>; result: {
    components: {
      name: string;
      hint_count: number;
    }[];
  } };
  /** Export hints as JSON, in the format that import reads. */
  export: { params: {
    format?: "json" | null;
    component?: string | null;
  }; result: {
    payload: {
      schema_version: string;
      created_at: string;
      session_id: string;
      components: Record<string, {
        hints: Record<string, {
          value: string | Record<string, unknown>;
          meta?: {
            reason?: string | null;
            tags?: string[] | null;
            priority?: number | null;
            confidence?: number | null;
            ttl?: string | null;
            sensitivity?: "normal" | "secret" | null;
            scope?: {
              cwd_glob?: string[];
              repo?: string | string[] | null;
              branch?: string[];
              os?: ("linux" | "darwin" | "windows")[];
              env_required?: string[];
              env_match?: Record<string, string | string[]>;
            } | null;
            source?: "user" | "agent" | "tool-output" | "file-import" | null;
            added_by?: string | null;
          };
          version?: number;
          created_at?: string | null;
          updated_at?: string | null;
          last_used_at?: string | null;
          use_count?: number;
        } | ({
          value: string | Record<string, unknown>;
          meta?: {
            reason?: string | null;
            tags?: string[] | null;
            priority?: number | null;
            confidence?: number | null;
            ttl?: string | null;
            sensitivity?: "normal" | "secret" | null;
            scope?: {
              cwd_glob?: string[];
              repo?: string | string[] | null;
              branch?: string[];
              os?: ("linux" | "darwin" | "windows")[];
              env_required?: string[];
              env_match?: Record<string, string | string[]>;
            } | null;
            source?: "user" | "agent" | "tool-output" | "file-import" | null;
            added_by?: string | null;
          };
          version?: number;
          created_at?: string | null;
          updated_at?: string | null;
          last_used_at?: string | null;
          use_count?: number;
        })[]>;
      }>;
    };
    secrets_left_out: number;
    not_eligible?: number;
  } };
  /** Import hints from an export. One invalid record rejects the whole import. */
  import: { params: {
    payload: Record<string, unknown>;
    mode?: "merge" | "replace" | null;
  }; result: {
    imported: number;
    skipped: number;
    removed?: number;
    proposed?: number;
  } };
  /** List all hints of a component, including those that do not apply here. */
  list_keys: { params: {
    component: string;
  }; result: {
    component: string;
    hints: ({
      key: string;
      scope?: {
        cwd_glob?: string[];
        repo?: string | string[] | null;
        branch?: string[];
        os?: ("linux" | "darwin" | "windows")[];
        env_required?: string[];
        env_match?: Record<string, string | string[]>;
      } | null;
      type: string;
      stated_by?: string;
      preview?: string | null;
      secret?: boolean;
      version: number;
      use_count: number;
      updated_at: string;
    })[];
  } };
  /** Count hints and components; list the most frequent tags and the most used hints. */
  hint_stats: { params: Record<string, never>; result: {
    hints: number;
    components: number;
    max_hints: number;
    top_tags: {
      tag: string;
      hints: number;
    }[];
    most_used: ({
      component: string;
      key: string;
      use_count: number;
      last_used_at?: string | null;
    })[];
  } };
  /** List the versions of a hint, or the latest changes of all hints, with who made each. */
  hint_log: { params: {
    component?: string | null;
    key?: string | null;
    limit?: number | null;
  }; result: {
    versions: ({
      id?: number | null;
      component: string;
      key: string;
      scope?: {
        cwd_glob?: string[];
        repo?: string | string[] | null;
        branch?: string[];
        os?: ("linux" | "darwin" | "windows")[];
        env_required?: string[];
        env_match?: Record<string, string | string[]>;
      } | null;
      version: number;
      value?: string | null;
      stated_by: string;
      at: string;
      ended?: {
        how: string;
        by: string;
        at: string;
      } | null;
    })[];
  } };
  /** Restore an earlier version of a hint, even a deleted one. */
  undo_hint: { params: {
    id?: number | null;
    component?: string | null;
    key?: string | null;
  }; result: {
    hint: {
      id: number;
      component: string;
      key: string;
      value: string | Record<string, unknown>;
      meta: {
        reason?: string | null;
        tags?: string[] | null;
        priority?: number | null;
        confidence?: number | null;
        ttl?: string | null;
        sensitivity?: "normal" | "secret" | null;
        scope?: {
          cwd_glob?: string[];
          repo?: string | string[] | null;
          branch?: string[];
          os?: ("linux" | "darwin" | "windows")[];
          env_required?: string[];
          env_match?: Record<string, string | string[]>;
        } | null;
        source?: "user" | "agent" | "tool-output" | "file-import" | null;
        added_by?: string | null;
      };
      version: number;
      created_at: string;
      updated_at: string;
      last_used_at?: string | null;
      use_count: number;
      expires_at?: string | null;
      stated_by?: string;
      origin: {
        source: string;
        tier: string;
        client?: string | null;
        session?: string | null;
      };
    };
    restored_version: number;
  } };
  /** Save what matters to this session; it comes back when the session resumes or another takes over. mode "replace" (default) or "merge" (union). Sets: files (absolute paths), endpoints, ports, applet [slug, k=v…], or your own. E.g. {setName: "files", items: ["/w/spec.md"], mode: "merge"}. Max 10 per set, 50 in all. */
  set_relevant_context: { params: {
    setName: string;
    items: string[];
    mode?: "replace" | "merge" | null;
  }; result: {
    text: string;
    contextChanged: boolean;
    setName: string;
    items: number;
    session?: string | null;
    warning?: string | null;
  } };
  /** Return what was saved with set_relevant_context for this session: all sets, or one. Call it on resume to see what you were working on. */
  get_relevant_context: { params: {
    setName?: string | null;
    session?: string | null;
  }; result: {
    context: Record<string, string[]>;
    text?: string | null;
  } };
  /** Call before you try a fix or test a belief: state the goal, your hypothesis, your action and your prediction. One at a time. Warns of similar attempts that failed. */
  start_ghap: { params: {
    domain: "debugging" | "refactoring" | "feature" | "testing" | "configuration" | "documentation" | "performance" | "security" | "integration";
    strategy: "systematic-elimination" | "trial-and-error" | "research-first" | "divide-and-conquer" | "root-cause-analysis" | "copy-from-similar" | "check-assumptions" | "read-the-error" | "ask-user";
    goal: string;
    hypothesis: string;
    action: string;
    prediction: string;
  }; result: {
    ok: boolean;
    id: string;
    warnings?: string[];
  } };
  /** End the active hypothesis. "falsified" needs surprise and root_cause, which warn later sessions. */
  resolve_ghap: { params: {
    status: "confirmed" | "falsified" | "abandoned";
    result: string;
    surprise?: string;
    root_cause?: {
      category: "wrong-assumption" | "missing-knowledge" | "oversight" | "environment-issue" | "misleading-symptom" | "incomplete-fix" | "wrong-scope" | "test-isolation" | "timing-issue";
      description: string;
    };
    lesson?: {
      what_worked: string;
      takeaway?: string | null;
    };
  }; result: {
    ok: boolean;
    id: string;
    warnings?: string[];
  } };
  /** Change the hypothesis, action, prediction or strategy of the active hypothesis, or add a note. Earlier iterations are kept. */
  update_ghap: { params: {
    hypothesis?: string | null;
    action?: string | null;
    prediction?: string | null;
    strategy?: "systematic-elimination" | "trial-and-error" | "research-first" | "divide-and-conquer" | "root-cause-analysis" | "copy-from-similar" | "check-assumptions" | "read-the-error" | "ask-user" | null;
    note?: string | null;
    session?: string | null;
  }; result: {
    ok: boolean;
    id: string;
    warnings?: string[];
  } };
  /** Return the active hypothesis of this session. */
  get_active_ghap: { params: {
    session?: string | null;
  }; result: {
    has_active: boolean;
    id?: string | null;
    session_id?: string | null;
    created_at?: string | null;
    domain?: string | null;
    strategy?: string | null;
    goal?: string | null;
    hypothesis?: string | null;
    action?: string | null;
    prediction?: string | null;
    iteration_count?: number | null;
    contradicted?: string | null;
  } };
  /** List the hypotheses of a project, newest first: what was tried and how it ended. */
  list_ghap_entries: { params: {
    status?: "active" | "confirmed" | "falsified" | "abandoned" | null;
    domain?: "debugging" | "refactoring" | "feature" | "testing" | "configuration" | "documentation" | "performance" | "security" | "integration" | null;
    since?: string | null;
    limit?: number;
    project?: string | null;
  }; result: {
    results: ({
      id: string;
      entry: number;
      status: string;
      domain: string;
      strategy: string;
      goal: string;
      hypothesis: string;
      prediction?: string;
      created_at: string;
      result?: string | null;
      root_cause?: string | null;
      confidence_tier?: string | null;
    })[];
    count: number;
  } };
  /** Return a hypothesis of this project that an ended session, or one silent for four hours, left open. Adopt it, or abandon it with a reason. */
  get_orphaned_ghap: { params: {
    session?: string | null;
  }; result: {
    has_orphan: boolean;
    id?: string | null;
    session_id?: string | null;
    goal?: string | null;
    hypothesis?: string | null;
    action?: string | null;
    created_at?: string | null;
  } };
  /** Continue a hypothesis that an earlier session left open. All of its content is kept. */
  adopt_orphan_ghap: { params: {
    id?: string | null;
    session?: string | null;
  }; result: {
    ok: boolean;
    id: string;
    warnings?: string[];
  } };
  /** Close a hypothesis that an earlier session left open, with a reason. It stays with that session. */
  abandon_orphan_ghap: { params: {
    reason: string;
    id?: string | null;
    session?: string | null;
  }; result: {
    ok: boolean;
    id: string;
    warnings?: string[];
  } };
  /** Search resolved hypotheses by words, in one aspect: full, strategy, surprise or root_cause. Call before you try something that may have been tried before. */
  search_experiences: { params: {
    query: string;
    axis?: "full" | "strategy" | "surprise" | "root_cause";
    domain?: "debugging" | "refactoring" | "feature" | "testing" | "configuration" | "documentation" | "performance" | "security" | "integration" | null;
    strategy?: "systematic-elimination" | "trial-and-error" | "research-first" | "divide-and-conquer" | "root-cause-analysis" | "copy-from-similar" | "check-assumptions" | "read-the-error" | "ask-user" | null;
    outcome?: "active" | "confirmed" | "falsified" | "abandoned" | null;
    limit?: number;
    project?: string | null;
  }; result: {
    results: ({
      id: string;
      entry: number;
      status: string;
      domain: string;
      strategy: string;
      goal: string;
      hypothesis: string;
      prediction?: string;
      created_at: string;
      result?: string | null;
      root_cause?: string | null;
      confidence_tier?: string | null;
      text: string;
      score: number;
    })[];
    count: number;
  } };
  /** Group resolved hypotheses that are about the same thing. Summarise a group in one sentence with store_value. */
  group_experiences: { params: {
    axis?: "full" | "strategy" | "surprise" | "root_cause";
    at_least?: number;
    project?: string | null;
  }; result: {
    groups: ({
      cluster_id: string;
      words: string[];
      members: ({
        id: string;
        entry: number;
        status: string;
        domain: string;
        strategy: string;
        goal: string;
        hypothesis: string;
        prediction?: string;
        created_at: string;
        result?: string | null;
        root_cause?: string | null;
        confidence_tier?: string | null;
      })[];
    })[];
    alone: number;
  } };
  /** Check whether a sentence fits the experiences it summarises. Stores nothing. */
  validate_value: { params: {
    text: string;
    experiences: string[];
    axis?: "full" | "strategy" | "surprise" | "root_cause";
  }; result: {
    valid: boolean;
    fit: {
      covered: number;
      support: number;
      least_covered: number;
      least_support: number;
    };
    why?: string | null;
  } };
  /** Save in one sentence what several experiences taught. It is accepted only if it fits them. */
  store_value: { params: {
    text: string;
    experiences: string[];
    axis?: "full" | "strategy" | "surprise" | "root_cause";
  }; result: {
    ok: boolean;
    id: string;
    fit: {
      covered: number;
      support: number;
      least_covered: number;
      least_support: number;
    };
  } };
  /** List the lessons of a project that were stored with store_value, newest first. */
  list_values: { params: {
    limit?: number;
    project?: string | null;
  }; result: {
    results: {
      id: string;
      entry: number;
      text: string;
      experiences: string[];
      by_person: boolean;
      at: string;
    }[];
    count: number;
  } };
  /** Call before you begin: reports what went wrong before in the same kind of work, how each strategy did, what was unexpected, and what was learned. */
  premortem: { params: {
    domain: "debugging" | "refactoring" | "feature" | "testing" | "configuration" | "documentation" | "performance" | "security" | "integration";
    strategy?: "systematic-elimination" | "trial-and-error" | "research-first" | "divide-and-conquer" | "root-cause-analysis" | "copy-from-similar" | "check-assumptions" | "read-the-error" | "ask-user" | null;
    limit?: number;
    project?: string | null;
  }; result: {
    markdown: string;
    token_count: number;
    item_count: number;
  } };
  /** Return what the next agent or the user should know about a session: goal, conclusions, uncommitted files, what was ruled out, the last command and its outcome, context sets. */
  handoff: { params: {
    session?: string | null;
  }; result: {
    markdown: string;
    session_id: string;
    goal?: string[];
    conclusions?: string[];
    files_in_flight?: string[];
    confirmed?: string[];
    ruled_out?: string[];
    open_hypothesis?: string | null;
    last_command?: {
      command: string;
      outcome: string;
      said?: string | null;
    } | null;
    next_steps?: string[];
    context?: Record<string, string[]>;
  } };
  /** Return one session: state, name, current work, context sets, and the text that resumes it. */
  get_session: { params: {
    session?: string | null;
  }; result: {
    id: string;
    agent: string;
    project?: string | null;
    state: string;
    unobserved: boolean;
    startedAt: string;
    lastActiveAt: string;
    endedAt?: string | null;
    meta: {
      name: string;
      lastObservedAt?: string | null;
      lastIdleAt?: string | null;
      currentIntent?: string | null;
      envHint?: string | null;
      context: Record<string, string[]>;
    };
    resume?: string;
  } };
  /** Return a session page by page, the last rows first: prompts, commands with verdicts, changes with lines, hypotheses, injections. */
  session_timeline: { params: {
    session_id: string;
    show?: "failures" | "changes" | "injected" | "hypotheses" | null;
    before?: number | string | null;
    from?: number | string | null;
    limit?: number | null;
  }; result: {
    session_id: string;
    agent: string;
    project?: string | null;
    root?: string | null;
    name?: string | null;
    state: string;
    started_at: string;
    last_at: string;
    counts: {
      events: number;
      failures: number;
      changes: number;
      commits: number;
      injections: number;
      tokens: number;
      hypotheses: number;
    };
    prompts: {
      id: number;
      at: string;
      text: string;
      events: number;
      failures: number;
    }[];
    more_prompts: number;
    files_in_flight: string[];
    rows: ({
      key: string;
      id?: number | null;
      at: string;
      kind: string;
      text: string;
      source?: string | null;
      stated_by?: string | null;
      files?: string[];
      more_files?: number;
      failed?: boolean;
      exit?: number | null;
      verdict?: string | null;
      tests_passed?: number | null;
      tests_failed?: number | null;
      took_ms?: number | null;
      output?: string | null;
      added?: number | null;
      removed?: number | null;
      diff?: string | null;
      diff_cut?: boolean;
      subagent?: string | null;
      is_pinned?: boolean;
      injection?: {
        at: string;
        session: string;
        project?: string | null;
        cause: string;
        mode: string;
        tokens: number;
        lines: number;
        injected: ({
          id: number;
          what: string;
          why: string;
          section?: string | null;
          tokens: number;
          used_at?: string | null;
        })[];
        left_out: ({
          id: number;
          what: string;
          why: string;
          section?: string | null;
          tokens: number;
          used_at?: string | null;
        })[];
        decision?: {
          speaks: boolean;
          score: number;
          least: number;
          features: Record<string, number>;
        } | null;
      } | null;
    })[];
    has_earlier: boolean;
    has_later: boolean;
  } };
  /** Return a file of the session's project as it is now, and the lines that the session wrote. */
  session_file: { params: {
    session_id: string;
    path: string;
  }; result: {
    path: string;
    lines?: string[] | null;
    note?: string | null;
    written: number[];
    changes: ({
      id: number;
      at: string;
      added?: number | null;
      removed?: number | null;
      diff?: string | null;
    })[];
  } };
  /** Name a session, describe its environment and current work, or change its context sets. */
  update_session: { params: {
    session?: string | null;
    name?: string | null;
    envHint?: string | null;
    currentIntent?: string | null;
    context?: Record<string, string[]> | null;
    setContext?: {
      setName: string;
      items: string[];
      mode?: "replace" | "merge";
    } | null;
    observed?: boolean;
  }; result: {
    id: string;
    agent: string;
    project?: string | null;
    state: string;
    unobserved: boolean;
    startedAt: string;
    lastActiveAt: string;
    endedAt?: string | null;
    meta: {
      name: string;
      lastObservedAt?: string | null;
      lastIdleAt?: string | null;
      currentIntent?: string | null;
      envHint?: string | null;
      context: Record<string, string[]>;
    };
    resume?: string;
  } };
  /** List what the newest sessions are doing: busy, idle or ended, with name, context sets, and whether the user has looked at them. */
  list_session_states: { params: {
    limit?: number;
    project?: string | null;
  }; result: {
    sessions: ({
      id: string;
      agent: string;
      project?: string | null;
      state: string;
      unobserved: boolean;
      startedAt: string;
      lastActiveAt: string;
      endedAt?: string | null;
      meta: {
        name: string;
        lastObservedAt?: string | null;
        lastIdleAt?: string | null;
        currentIntent?: string | null;
        envHint?: string | null;
        context: Record<string, string[]>;
      };
      resume?: string;
    })[];
    unobservedCount: number;
  } };
  /** Save a summary of a session in your own words: what was done, what slowed it down, what comes next. Call it before you finish. */
  store_journal_entry: { params: {
    summary: string;
    friction_points?: string[];
    next_steps?: string[];
    session?: string | null;
  }; result: {
    ok: boolean;
    id: number;
  } };
  /** List journal entries, newest first. To reflect: read the entries not yet reflected, propose values, then mark them. */
  list_journal_entries: { params: {
    unreflected_only?: boolean;
    limit?: number;
    project?: string | null;
  }; result: ({
    id: number;
    session_id: string;
    at: string;
    summary: string;
    friction_points?: string[];
    next_steps?: string[];
    reflected_at?: string | null;
  })[] };
  /** Return one journal entry. */
  get_journal_entry: { params: {
    id: number;
  }; result: {
    id: number;
    session_id: string;
    at: string;
    summary: string;
    friction_points?: string[];
    next_steps?: string[];
    reflected_at?: string | null;
  } };
  /** Mark journal entries as reflected, after you have drawn values from them. */
  mark_entries_reflected: { params: {
    ids: number[];
  }; result: {
    marked: number;
  } };
  /** Start a session. Only for programs without a session id of their own; their later calls belong to it. */
  start_session: { params: Record<string, never>; result: {
    session_id: string;
    started_at: string;
  } };
  /** Report whether this session has made enough tool calls for a check-in on its hypothesis. */
  should_check_in: { params: {
    frequency?: number;
    session?: string | null;
  }; result: {
    should_check_in: boolean;
  } };
  /** Count one tool call of this session. Call it only if no hook counts tool calls for you. */
  increment_tool_count: { params: {
    session?: string | null;
  }; result: {
    tool_count: number;
  } };
  /** Reset the tool count of this session to zero, after a check-in. */
  reset_tool_count: { params: {
    session?: string | null;
  }; result: {
    tool_count: number;
  } };
  /** List proposals that wait for the user: changes that agents proposed, and things the user said that seem meant to last. */
  list_proposals: { params: {
    all?: boolean;
  }; result: {
    proposals: ({
      id: number;
      kind: string;
      action: "set" | "delete" | "move" | "copy" | "remember" | "correct" | "forget" | "run";
      state: "waiting" | "accepted" | "dropped" | "replaced" | "expired";
      path?: string | null;
      to?: string | null;
      diff?: string | null;
      new_text?: string | null;
      attributes?: Record<string, unknown> | null;
      component?: string | null;
      key?: string | null;
      scope?: {
        cwd_glob?: string[];
        repo?: string | string[] | null;
        branch?: string[];
        os?: ("linux" | "darwin" | "windows")[];
        env_required?: string[];
        env_match?: Record<string, string | string[]>;
      } | null;
      value?: unknown;
      reason?: string | null;
      ttl?: string | null;
      current?: string | null;
      current_stated_by?: string | null;
      text?: string | null;
      category?: "preference" | "fact" | "event" | "workflow" | "context" | "error" | "decision" | null;
      directory?: string | null;
      run?: string | null;
      rights?: string[];
      tool?: string | null;
      sandbox?: string | null;
      sessions?: number | null;
      said?: ({
        session?: string | null;
        at: string;
        how: string;
        prompt?: number | null;
      })[];
      in_force?: boolean;
      contradicts?: {
        id: number;
        text: string;
        stated_by: string;
      }[];
      successor?: number | null;
      project?: string | null;
      proposed_by: string;
      client?: string | null;
      session?: string | null;
      why: string;
      times: number;
      first_at: string;
      last_at: string;
    })[];
  } };
  /** Accept a proposal. It becomes the user's statement. */
  accept_proposal: { params: {
    id: number;
    text?: string | null;
  }; result: {
    id: number;
    kind: string;
    state: "waiting" | "accepted" | "dropped" | "replaced" | "expired";
    path?: string | null;
    component?: string | null;
    key?: string | null;
    hint?: {
      id: number;
      component: string;
      key: string;
      value: string | Record<string, unknown>;
      meta: {
        reason?: string | null;
        tags?: string[] | null;
        priority?: number | null;
        confidence?: number | null;
        ttl?: string | null;
        sensitivity?: "normal" | "secret" | null;
        scope?: {
          cwd_glob?: string[];
          repo?: string | string[] | null;
          branch?: string[];
          os?: ("linux" | "darwin" | "windows")[];
          env_required?: string[];
          env_match?: Record<string, string | string[]>;
        } | null;
        source?: "user" | "agent" | "tool-output" | "file-import" | null;
        added_by?: string | null;
      };
      version: number;
      created_at: string;
      updated_at: string;
      last_used_at?: string | null;
      use_count: number;
      expires_at?: string | null;
      stated_by?: string;
      origin: {
        source: string;
        tier: string;
        client?: string | null;
        session?: string | null;
      };
    } | null;
    text?: string | null;
    statement?: {
      id: number;
      text: string;
      category: "preference" | "fact" | "event" | "workflow" | "context" | "error" | "decision";
      state: "stands" | "corrected" | "forgotten";
      stated_by: string;
      origin: "remembered" | "accepted" | "said_twice" | "said_once" | "agent";
      directory?: string | null;
      times: number;
      sessions: number;
      said_at: string;
      everywhere?: boolean;
      drift?: string | null;
      against?: number | null;
      silenced?: boolean;
      routine?: boolean;
      successor?: number | null;
      predecessor?: number | null;
    } | null;
    replaced?: {
      id: number;
      text: string;
      stated_by: string;
    }[];
  } };
  /** Drop a proposal. It is not proposed again. */
  drop_proposal: { params: {
    id: number;
  }; result: {
    id: number;
    kind: string;
    state: "waiting" | "accepted" | "dropped" | "replaced" | "expired";
    path?: string | null;
    component?: string | null;
    key?: string | null;
    hint?: {
      id: number;
      component: string;
      key: string;
      value: string | Record<string, unknown>;
      meta: {
        reason?: string | null;
        tags?: string[] | null;
        priority?: number | null;
        confidence?: number | null;
        ttl?: string | null;
        sensitivity?: "normal" | "secret" | null;
        scope?: {
          cwd_glob?: string[];
          repo?: string | string[] | null;
          branch?: string[];
          os?: ("linux" | "darwin" | "windows")[];
          env_required?: string[];
          env_match?: Record<string, string | string[]>;
        } | null;
        source?: "user" | "agent" | "tool-output" | "file-import" | null;
        added_by?: string | null;
      };
      version: number;
      created_at: string;
      updated_at: string;
      last_used_at?: string | null;
      use_count: number;
      expires_at?: string | null;
      stated_by?: string;
      origin: {
        source: string;
        tier: string;
        client?: string | null;
        session?: string | null;
      };
    } | null;
    text?: string | null;
    statement?: {
      id: number;
      text: string;
      category: "preference" | "fact" | "event" | "workflow" | "context" | "error" | "decision";
      state: "stands" | "corrected" | "forgotten";
      stated_by: string;
      origin: "remembered" | "accepted" | "said_twice" | "said_once" | "agent";
      directory?: string | null;
      times: number;
      sessions: number;
      said_at: string;
      everywhere?: boolean;
      drift?: string | null;
      against?: number | null;
      silenced?: boolean;
      routine?: boolean;
      successor?: number | null;
      predecessor?: number | null;
    } | null;
    replaced?: {
      id: number;
      text: string;
      stated_by: string;
    }[];
  } };
  /** Let a dropped proposal wait again. */
  reopen_proposal: { params: {
    id: number;
  }; result: {
    id: number;
    kind: string;
    state: "waiting" | "accepted" | "dropped" | "replaced" | "expired";
    path?: string | null;
    component?: string | null;
    key?: string | null;
    hint?: {
      id: number;
      component: string;
      key: string;
      value: string | Record<string, unknown>;
      meta: {
        reason?: string | null;
        tags?: string[] | null;
        priority?: number | null;
        confidence?: number | null;
        ttl?: string | null;
        sensitivity?: "normal" | "secret" | null;
        scope?: {
          cwd_glob?: string[];
          repo?: string | string[] | null;
          branch?: string[];
          os?: ("linux" | "darwin" | "windows")[];
          env_required?: string[];
          env_match?: Record<string, string | string[]>;
        } | null;
        source?: "user" | "agent" | "tool-output" | "file-import" | null;
        added_by?: string | null;
      };
      version: number;
      created_at: string;
      updated_at: string;
      last_used_at?: string | null;
      use_count: number;
      expires_at?: string | null;
      stated_by?: string;
      origin: {
        source: string;
        tier: string;
        client?: string | null;
        session?: string | null;
      };
    } | null;
    text?: string | null;
    statement?: {
      id: number;
      text: string;
      category: "preference" | "fact" | "event" | "workflow" | "context" | "error" | "decision";
      state: "stands" | "corrected" | "forgotten";
      stated_by: string;
      origin: "remembered" | "accepted" | "said_twice" | "said_once" | "agent";
      directory?: string | null;
      times: number;
      sessions: number;
      said_at: string;
      everywhere?: boolean;
      drift?: string | null;
      against?: number | null;
      silenced?: boolean;
      routine?: boolean;
      successor?: number | null;
      predecessor?: number | null;
    } | null;
    replaced?: {
      id: number;
      text: string;
      stated_by: string;
    }[];
  } };
  /** Add a note to this session: a decision, a finding, a dead end. search finds it later. */
  create_marker: { params: {
    text: string;
    project?: string | null;
    session?: string | null;
  }; result: {
    id: number;
    path: string;
    session: string;
    project: string;
    note?: string | null;
  } };
  /** Pin observations, so that retention never deletes them. */
  pin: { params: {
    ids: (number | string)[];
  }; result: {
    pinned: boolean;
    ids: number[];
    missing: number[];
  } };
  /** Unpin observations, so that retention applies to them again. */
  unpin: { params: {
    ids: (number | string)[];
  }; result: {
    pinned: boolean;
    ids: number[];
    missing: number[];
  } };
  /** List the projects that agents worked in, with the number of sessions and the last activity. */
  list_projects: { params: Record<string, never>; result: {
    projects: ({
      id: number;
      name: string;
      root: string;
      keys: string[];
      sessions: number;
      last_active?: string | null;
      private?: boolean;
      claim?: string | null;
    })[];
  } };
  /** Rename a project. */
  rename_project: { params: {
    project: string;
    name: string;
  }; result: {
    project: {
      id: number;
      name: string;
      root: string;
      keys: string[];
      sessions: number;
      last_active?: string | null;
      private?: boolean;
      claim?: string | null;
    };
  } };
  /** Merge two projects into one, e.g. after a checkout moved. This cannot be undone. */
  merge_projects: { params: {
    from: string;
    into: string;
    dry_run?: boolean;
  }; result: {
    project: {
      id: number;
      name: string;
      root: string;
      keys: string[];
      sessions: number;
      last_active?: string | null;
      private?: boolean;
      claim?: string | null;
    };
    from: {
      id: number;
      name: string;
      root: string;
      keys: string[];
      sessions: number;
      last_active?: string | null;
      private?: boolean;
      claim?: string | null;
    };
    moved: number;
  } };
  /** Join a directory to the project that its settings name. This cannot be undone. Only in a terminal. */
  trust_project: { params: {
    directory: string;
    into?: string | null;
  }; result: {
    project: {
      id: number;
      name: string;
      root: string;
      keys: string[];
      sessions: number;
      last_active?: string | null;
      private?: boolean;
      claim?: string | null;
    };
    moved: number;
  } };
  /** Make a project private: nothing of it is shown outside it. Or make it visible again. */
  set_private: { params: {
    project: string;
    private?: boolean;
  }; result: {
    project: {
      id: number;
      name: string;
      root: string;
      keys: string[];
      sessions: number;
      last_active?: string | null;
      private?: boolean;
      claim?: string | null;
    };
  } };
  /** Read entries of memory or files by path or pattern, with their cost in tokens. `preview` lists matches only; `line` and `limit` read a part. */
  get: { params: {
    path: string;
    body?: string | null;
    line?: number | null;
    limit?: number | null;
    preview?: boolean;
    visibility?: string | null;
    max?: number | null;
    max_tokens?: number | null;
    after?: string | null;
    run?: string | null;
    persist?: boolean;
    readonly?: boolean;
  }; result: {
    matched: number;
    entries: ({
      path: string;
      id?: number | null;
      scope?: string;
      category: string;
      version?: number | null;
      state: string;
      status: number;
      outcome?: string | null;
      visibility?: string | null;
      summary?: string | null;
      stated_by?: string;
      updated_at?: string;
      tokens: {
        visible: number;
        summarized: number;
        premium: number;
        estimated?: boolean;
      };
      attributes?: Record<string, unknown>;
      body?: string | null;
      lines?: {
        from: number;
        count: number;
        of: number;
      } | null;
      withheld?: string | null;
    })[];
    left_out?: number;
    next?: string | null;
    bodies_read: number;
    preview?: boolean;
    bodies_to_read?: number;
    failed?: {
      path: string;
      to?: string | null;
      status: number;
      state: string;
      outcome?: string | null;
      why?: string | null;
      next?: string | null;
      id?: number | null;
      version?: number | null;
      visibility?: string | null;
      matched?: string | null;
      sure?: number | null;
      warnings?: string[];
      diff?: string | null;
      proposal?: {
        id?: number | null;
        state: "waiting" | "accepted" | "dropped" | "replaced" | "expired";
        why: string;
        next: string;
      } | null;
    } | null;
  } };
  /** Create or edit an entry by path (known://…, unknown://…, hint://…, or a file), or change all that a pattern matches. What the user wrote, and every file, becomes a proposal. */
  set: { params: {
    path: string;
    body?: string | null;
    raw?: boolean;
    append?: boolean;
    attributes?: Record<string, unknown> | null;
    visibility?: string | null;
    state?: string | null;
    outcome?: string | null;
    summary?: string | null;
    tags?: string | null;
    filter?: string | null;
    if_match_version?: number | null;
    preview?: boolean;
    run?: string | null;
  }; result: {
    matched: number;
    results: ({
      path: string;
      to?: string | null;
      status: number;
      state: string;
      outcome?: string | null;
      why?: string | null;
      next?: string | null;
      id?: number | null;
      version?: number | null;
      visibility?: string | null;
      matched?: string | null;
      sure?: number | null;
      warnings?: string[];
      diff?: string | null;
      proposal?: {
        id?: number | null;
        state: "waiting" | "accepted" | "dropped" | "replaced" | "expired";
        why: string;
        next: string;
      } | null;
    })[];
    preview?: boolean;
    bodies_read?: number;
    note?: string | null;
  } };
  /** Remove entries by path or pattern; `preview` lists them first. In a run, only the run's view changes. */
  rm: { params: {
    path: string;
    filter?: string | null;
    preview?: boolean;
    run?: string | null;
  }; result: {
    matched: number;
    results: ({
      path: string;
      to?: string | null;
      status: number;
      state: string;
      outcome?: string | null;
      why?: string | null;
      next?: string | null;
      id?: number | null;
      version?: number | null;
      visibility?: string | null;
      matched?: string | null;
      sure?: number | null;
      warnings?: string[];
      diff?: string | null;
      proposal?: {
        id?: number | null;
        state: "waiting" | "accepted" | "dropped" | "replaced" | "expired";
        why: string;
        next: string;
      } | null;
    })[];
    preview?: boolean;
    bodies_read?: number;
    note?: string | null;
  } };
  /** Copy an entry to a new path, or all that a pattern matches. */
  cp: { params: {
    path: string;
    to: string;
    filter?: string | null;
    visibility?: string | null;
    preview?: boolean;
    run?: string | null;
  }; result: {
    matched: number;
    results: ({
      path: string;
      to?: string | null;
      status: number;
      state: string;
      outcome?: string | null;
      why?: string | null;
      next?: string | null;
      id?: number | null;
      version?: number | null;
      visibility?: string | null;
      matched?: string | null;
      sure?: number | null;
      warnings?: string[];
      diff?: string | null;
      proposal?: {
        id?: number | null;
        state: "waiting" | "accepted" | "dropped" | "replaced" | "expired";
        why: string;
        next: string;
      } | null;
    })[];
    preview?: boolean;
    bodies_read?: number;
    note?: string | null;
  } };
  /** Rename an entry, or all that a pattern matches. */
  mv: { params: {
    path: string;
    to: string;
    filter?: string | null;
    visibility?: string | null;
    preview?: boolean;
    run?: string | null;
  }; result: {
    matched: number;
    results: ({
      path: string;
      to?: string | null;
      status: number;
      state: string;
      outcome?: string | null;
      why?: string | null;
      next?: string | null;
      id?: number | null;
      version?: number | null;
      visibility?: string | null;
      matched?: string | null;
      sure?: number | null;
      warnings?: string[];
      diff?: string | null;
      proposal?: {
        id?: number | null;
        state: "waiting" | "accepted" | "dropped" | "replaced" | "expired";
        why: string;
        next: string;
      } | null;
    })[];
    preview?: boolean;
    bodies_read?: number;
    note?: string | null;
  } };
  /** Record how far the work has come: status 102 goes on, 200 done, 204 nothing to do, 422 impossible. */
  update: { params: {
    body: string;
    status?: number | null;
    run?: string | null;
  }; result: {
    matched: number;
    results: ({
      path: string;
      to?: string | null;
      status: number;
      state: string;
      outcome?: string | null;
      why?: string | null;
      next?: string | null;
      id?: number | null;
      version?: number | null;
      visibility?: string | null;
      matched?: string | null;
      sure?: number | null;
      warnings?: string[];
      diff?: string | null;
      proposal?: {
        id?: number | null;
        state: "waiting" | "accepted" | "dropped" | "replaced" | "expired";
        why: string;
        next: string;
      } | null;
    })[];
    preview?: boolean;
    bodies_read?: number;
    note?: string | null;
  } };
  /** List entries by pattern with state, visibility and cost; changes nothing. */
  get_entries: { params: {
    pattern?: string | null;
    body?: string | null;
    run?: string | null;
    limit?: number | null;
    after?: string | null;
  }; result: {
    matched: number;
    entries: ({
      path: string;
      id?: number | null;
      scope?: string;
      category: string;
      version?: number | null;
      state: string;
      status: number;
      outcome?: string | null;
      visibility?: string | null;
      summary?: string | null;
      stated_by?: string;
      updated_at?: string;
      tokens: {
        visible: number;
        summarized: number;
        premium: number;
        estimated?: boolean;
      };
      attributes?: Record<string, unknown>;
      body?: string | null;
      lines?: {
        from: number;
        count: number;
        of: number;
      } | null;
      withheld?: string | null;
    })[];
    left_out?: number;
    next?: string | null;
    bodies_read: number;
    preview?: boolean;
    bodies_to_read?: number;
    failed?: {
      path: string;
      to?: string | null;
      status: number;
      state: string;
      outcome?: string | null;
      why?: string | null;
      next?: string | null;
      id?: number | null;
      version?: number | null;
      visibility?: string | null;
      matched?: string | null;
      sure?: number | null;
      warnings?: string[];
      diff?: string | null;
      proposal?: {
        id?: number | null;
        state: "waiting" | "accepted" | "dropped" | "replaced" | "expired";
        why: string;
        next: string;
      } | null;
    } | null;
  } };
  /** Carry out the tags in a model's output: get, set, rm, cp, mv, update, search. */
  apply_tags: { params: {
    text: string;
    run?: string | null;
    max_commands?: number | null;
  }; result: {
    calls: ({
      tool: string;
      target: string;
      status: number;
      answer?: unknown;
      why?: string | null;
    })[];
    warnings: string[];
    text?: string;
    proposals: number;
  } };
  /** Store a list of the project's files with their tokens, as an entry. */
  scan_files: { params: {
    run?: string | null;
  }; result: {
    path: string;
    files: number;
    tokens: number;
    list_tokens: number;
    left_out: number;
    truncated?: boolean;
  } };
  /** List or set which files belong to the project and which are read-only. */
  store: { params: {
    path?: string | null;
    persist?: boolean;
    readonly?: boolean;
    ignore?: boolean;
    clear?: boolean;
    run?: string | null;
  }; result: {
    constraints: {
      pattern: string;
      kind: string;
    }[];
    cleared?: boolean;
  } };
  /** Ask a configured model; it answers from memory and the project's files. */
  ask: { params: {
    prompt: string;
    model?: string | null;
    run?: string | null;
    fork?: boolean;
    temperature?: number | null;
    persona?: string | null;
    context_limit?: number | null;
    no_repo?: boolean;
    no_interaction?: boolean;
    no_search?: boolean;
    no_web?: boolean;
    no_proposals?: boolean;
    act?: boolean;
    yolo?: boolean;
    skills?: string[];
  }; result: {
    run: string;
    loop?: number | null;
    status: number;
    state: string;
    note?: string | null;
  } };
  /** Let a configured model change files and run commands, each after the user accepted it. */
  act: { params: {
    prompt: string;
    model?: string | null;
    run?: string | null;
    fork?: boolean;
    temperature?: number | null;
    persona?: string | null;
    context_limit?: number | null;
    no_repo?: boolean;
    no_interaction?: boolean;
    no_search?: boolean;
    no_web?: boolean;
    no_proposals?: boolean;
    act?: boolean;
    yolo?: boolean;
    skills?: string[];
  }; result: {
    run: string;
    loop?: number | null;
    status: number;
    state: string;
    note?: string | null;
  } };
  /** Create a run without a prompt; `ask` gives it one. */
  start_run: { params: {
    model: string;
    run?: string | null;
    temperature?: number | null;
    persona?: string | null;
    context_limit?: number | null;
  }; result: {
    run: string;
    loop?: number | null;
    status: number;
    state: string;
    note?: string | null;
  } };
  /** List the runs of a project, newest first. */
  get_runs: { params: {
    limit?: number | null;
    offset?: number | null;
    project?: string | null;
  }; result: {
    runs: ({
      run: string;
      project: string;
      turn: number;
      status: number;
      state: string;
      outcome?: string | null;
      summary: string;
      model: string;
      parent?: string | null;
      created_at: string;
      updated_at: string;
      loops: {
        number: number;
        mode: string;
        prompt: string;
        status: number;
        state: string;
        answer?: string;
        reason?: string;
      }[];
      history?: ({
        tool: string;
        path: string;
        record?: string;
        target?: string;
        status: number;
        outcome?: string | null;
        body: string;
        turn: number;
        attributes?: string;
      })[];
      unknowns?: {
        path: string;
        body: string;
      }[];
      sources?: ({
        path: string;
        id?: number | null;
        cited: boolean;
        preview: string;
      })[];
      waits_for?: {
        tool: string;
        path: string;
        record?: string;
        target?: string;
        status: number;
        outcome?: string | null;
        body: string;
        turn: number;
        attributes?: string;
      } | null;
      output?: {
        path: string;
        bytes: number;
        tail: string;
      }[];
      partial?: string;
      telemetry?: {
        turns: number;
        context_tokens: number;
        estimated?: boolean;
        prompt_tokens: number;
        cached_tokens: number;
        completion_tokens: number;
        reasoning_tokens: number;
        total_tokens: number;
        cost_usd?: number | null;
        errors: number;
        healed: number;
      } | null;
    })[];
    more?: boolean;
  } };
  /** Show one run: its answer, sources, history and usage. */
  get_run: { params: {
    run: string;
    project?: string | null;
  }; result: {
    run: string;
    project: string;
    turn: number;
    status: number;
    state: string;
    outcome?: string | null;
    summary: string;
    model: string;
    parent?: string | null;
    created_at: string;
    updated_at: string;
    loops: {
      number: number;
      mode: string;
      prompt: string;
      status: number;
      state: string;
      answer?: string;
      reason?: string;
    }[];
    history?: ({
      tool: string;
      path: string;
      record?: string;
      target?: string;
      status: number;
      outcome?: string | null;
      body: string;
      turn: number;
      attributes?: string;
    })[];
    unknowns?: {
      path: string;
      body: string;
    }[];
    sources?: ({
      path: string;
      id?: number | null;
      cited: boolean;
      preview: string;
    })[];
    waits_for?: {
      tool: string;
      path: string;
      record?: string;
      target?: string;
      status: number;
      outcome?: string | null;
      body: string;
      turn: number;
      attributes?: string;
    } | null;
    output?: {
      path: string;
      bytes: number;
      tail: string;
    }[];
    partial?: string;
    telemetry?: {
      turns: number;
      context_tokens: number;
      estimated?: boolean;
      prompt_tokens: number;
      cached_tokens: number;
      completion_tokens: number;
      reasoning_tokens: number;
      total_tokens: number;
      cost_usd?: number | null;
      errors: number;
      healed: number;
    } | null;
  } };
  /** Stop what a run works on. Prompts that wait are answered next. */
  abort_run: { params: {
    run: string;
    project?: string | null;
  }; result: {
    run: string;
    loop?: number | null;
    status: number;
    state: string;
    note?: string | null;
  } };
  /** Go on with the last prompt of a run that stopped without an answer. */
  resume_run: { params: {
    run: string;
    project?: string | null;
  }; result: {
    run: string;
    loop?: number | null;
    status: number;
    state: string;
    note?: string | null;
  } };
  /** Copy a run; the copy sees what it saw and goes its own way. */
  fork_run: { params: {
    run: string;
    name?: string | null;
  }; result: {
    run: string;
    loop?: number | null;
    status: number;
    state: string;
    note?: string | null;
  } };
  /** Pass on the user's decision on what a run waits for. */
  resolve_run: { params: {
    run: string;
    project?: string | null;
    resolution: {
      path?: string | null;
      action: string;
      output?: string | null;
      text?: string | null;
      allow?: string | null;
      runner?: string | null;
    };
  }; result: {
    run: string;
    loop?: number | null;
    status: number;
    state: string;
    note?: string | null;
  } };
  /** Append output of a command that the calling program runs itself. */
  stream_output: { params: {
    run: string;
    path: string;
    channel: number;
    chunk: string;
  }; result: {
    run: string;
    loop?: number | null;
    status: number;
    state: string;
    note?: string | null;
  } };
  /** Say how a command ended that the calling program ran itself. */
  complete_stream: { params: {
    run: string;
    path: string;
    exit_code?: number | null;
    duration?: number | null;
  }; result: {
    run: string;
    loop?: number | null;
    status: number;
    state: string;
    note?: string | null;
  } };
  /** Stop a command or a plugin's call of a run. The run goes on. */
  abort_stream: { params: {
    run: string;
    path: string;
    reason?: string | null;
    duration?: number | null;
  }; result: {
    run: string;
    loop?: number | null;
    status: number;
    state: string;
    note?: string | null;
  } };
  /** Add a message to a run. It is answered after what the run works on. */
  inject_run: { params: {
    run: string;
    message: string;
  }; result: {
    run: string;
    loop?: number | null;
    status: number;
    state: string;
    note?: string | null;
  } };
  /** Change the model, the temperature or the token limit of a run. */
  configure_run: { params: {
    run: string;
    model?: string | null;
    temperature?: number | null;
    context_limit?: number | null;
    persona?: string | null;
  }; result: {
    run: string;
    loop?: number | null;
    status: number;
    state: string;
    note?: string | null;
  } };
  /** Give a run another name. */
  rename_run: { params: {
    run: string;
    name: string;
  }; result: {
    run: string;
    loop?: number | null;
    status: number;
    state: string;
    note?: string | null;
  } };
  /** Make what a run noted known in its project. The user decides this. */
  keep_run: { params: {
    run: string;
    path?: string | null;
    preview?: boolean;
    replace?: boolean;
    project?: string | null;
  }; result: {
    run: string;
    kept: {
      id: number;
      path: string;
      body: string;
      replaced: boolean;
    }[];
    left_out?: string[];
    known?: string[];
  } };
  /** Remove a run with everything in it. The user decides this. */
  remove_run: { params: {
    run: string;
    project?: string | null;
  }; result: {
    run: string;
  } };
  /** Give a run a skill: a Markdown file, or a folder or zip of them. */
  add_skill: { params: {
    run: string;
    path: string;
    name?: string | null;
  }; result: {
    run: string;
    skill: string;
    entries: {
      path: string;
      visibility: string;
      tokens: number;
    }[];
    removed?: string[];
    left_out?: {
      file: string;
      why: string;
    }[];
    left_out_count?: number;
  } };
  /** List the models that runs can use. */
  get_models: { params: {
    limit?: number | null;
    offset?: number | null;
  }; result: {
    models: ({
      alias: string;
      actual: string;
      base_url?: string | null;
      context_length?: number | null;
      input_price?: number | null;
      output_price?: number | null;
      constrained?: boolean;
      origin: string;
    })[];
  } };
  /** Add a model for runs, or replace the one with its alias. */
  add_model: { params: {
    alias: string;
    actual: string;
    base_url?: string | null;
    context_length?: number | null;
    input_price?: number | null;
    output_price?: number | null;
    constrained?: boolean;
  }; result: {
    alias: string;
    actual: string;
    base_url?: string | null;
    context_length?: number | null;
    input_price?: number | null;
    output_price?: number | null;
    constrained?: boolean;
    origin: string;
  } };
  /** Remove a model that was added. */
  remove_model: { params: {
    alias: string;
  }; result: {
    models: ({
      alias: string;
      actual: string;
      base_url?: string | null;
      context_length?: number | null;
      input_price?: number | null;
      output_price?: number | null;
      constrained?: boolean;
      origin: string;
    })[];
  } };
  /** Describe all operations, or one by name: parameters, answer, required tier. Any of them can be called, listed or not. */
  discover: { params: {
    name?: string | null;
  }; result: {
    operations: {
      name: string;
      aliases: string[];
      title: string;
      doc: string;
      tier: string;
      effect: string;
      profile: string;
      terminal_only?: boolean;
      params: unknown;
      result: unknown;
    }[];
  } };
  /** Check that the server runs and can read the store. */
  ping: { params: Record<string, never>; result: {
    status: string;
    server: string;
    version: string;
    profile?: string | null;
  } };
}
