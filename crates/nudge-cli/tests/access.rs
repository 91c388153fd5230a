//! Strangers: other users and other programs, at the files, the loopback port and the socket.

mod doors;
mod file_modes;
mod http_auth;
mod http_bodies;
mod http_floods;
mod http_hosts;
mod person;
mod port_squatter;
mod run_dir;
mod socket;
mod token_file;
mod token_secrecy;
