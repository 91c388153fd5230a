//! Strangers at the loopback port: who gets access, and what no request can do to the server.

#[path = "trespass/doors.rs"]
mod doors;
#[path = "trespass/http_auth.rs"]
mod http_auth;
#[path = "trespass/http_bodies.rs"]
mod http_bodies;
#[path = "trespass/http_floods.rs"]
mod http_floods;
#[path = "trespass/http_hosts.rs"]
mod http_hosts;
#[path = "trespass/port_squatter.rs"]
mod port_squatter;
