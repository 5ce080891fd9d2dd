//! scene_panics - a Rust program whose calls are left by panics, caught or not, and
//! that looks at its own stack.  Takes the words of the other programs of scenes that
//! it needs: SCENE --calls N --rate N --wait.

use std::backtrace::Backtrace;
use std::io::Write;
use std::panic;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

static ENTRIES: AtomicU64 = AtomicU64::new(0);

fn entered() {
    ENTRIES.fetch_add(1, Ordering::Relaxed);
}

/// What a frame leaves behind: cleaned up once, however it is left.
struct Guard<'a>(&'a AtomicU64);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

static CLEANED: AtomicU64 = AtomicU64::new(0);

#[no_mangle]
#[inline(never)]
pub fn w_panic(depth: u32, value: u32) -> u32 {
    let _guard = Guard(&CLEANED);
    entered();
    if depth == 0 {
        if value % 3 != 2 {
            panic!("round {value}");
        }
        return value;
    }
    std::hint::black_box(w_panic(depth - 1, value)) + 1
}

fn text_of(cause: Box<dyn std::any::Any + Send>) -> String {
    match cause.downcast::<String>() {
        Ok(text) => *text,
        Err(_) => "?".to_string(),
    }
}

/// Caught where it is called from.
fn play_caught(round: u32) {
    match panic::catch_unwind(|| w_panic(10, round)) {
        Ok(value) => print!(" {value}"),
        Err(cause) => print!(" {}", text_of(cause)),
    }
    print!(" {}", CLEANED.load(Ordering::Relaxed));
}

/// Ends its thread; who joins it is told.
fn play_thread(round: u32) {
    match thread::spawn(move || w_panic(10, round)).join() {
        Ok(value) => print!(" {value}"),
        Err(cause) => print!(" {}", text_of(cause)),
    }
    print!(" {}", CLEANED.load(Ordering::Relaxed));
}

#[no_mangle]
#[inline(never)]
pub fn w_resume(depth: u32, value: u32) -> u32 {
    entered();
    if depth == 0 {
        panic!("round {value}");
    }
    match panic::catch_unwind(|| std::hint::black_box(w_resume(depth - 1, value)) + 1) {
        Ok(value) => value,
        Err(cause) => {
            print!(" {depth}");
            panic::resume_unwind(cause)
        }
    }
}

/// Caught on the way, and gone on with.
fn play_resumed(round: u32) {
    if let Err(cause) = panic::catch_unwind(|| w_resume(4, round)) {
        print!(" {}", text_of(cause));
    }
}

#[no_mangle]
#[inline(never)]
pub fn w_looks(depth: u32) -> usize {
    entered();
    if depth == 0 {
        let text = Backtrace::force_capture().to_string();
        let mine = text.lines().filter(|line| line.contains("w_looks")).count();
        let start = text.contains("main");
        print!(" {mine} {start}");
        return mine;
    }
    std::hint::black_box(w_looks(depth - 1)) + 1
}

fn play_looks(round: u32) {
    print!(" {}", w_looks(round % 7));
}

/// In the last round nobody catches it: the program ends with status 101.
fn play_uncaught(round: u32, last: bool) {
    if last {
        close("uncaught", round + 1);
        w_panic(3, 3);
    }
    print!(" {}", w_panic(3, 2));
}

fn close(name: &str, rounds: u32) {
    // of the last call the entries are known already
    let more = if name == "uncaught" { 4 } else { 0 };
    println!(
        "{}{{\"scene\":\"{name}\",\"rounds\":{rounds},\"entries\":{}}}",
        if more > 0 { "\n" } else { "" },
        ENTRIES.load(Ordering::Relaxed) + more
    );
}

fn main() {
    let mut words = std::env::args().skip(1);
    let (mut name, mut calls, mut rate, mut wait) = (String::new(), 400u32, 0u32, false);
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|w| w.parse().ok()).unwrap_or_else(|| process::exit(2));
        match word.as_str() {
            "--calls" => calls = number(),
            "--rate" => rate = number(),
            "--wait" => wait = true,
            _ => name = word,
        }
    }
    // as many lines of the hook as there are panics would be printed otherwise
    if name != "uncaught" {
        panic::set_hook(Box::new(|_| {}));
    }
    println!("ready {}", process::id());
    if wait {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).expect("a line");
    }
    let mut next = Instant::now();
    for round in 0..calls {
        print!("{name} {round}:");
        match name.as_str() {
            "caught" => play_caught(round),
            "thread" => play_thread(round),
            "resumed" => play_resumed(round),
            "looks" => play_looks(round),
            "uncaught" => play_uncaught(round, round + 1 == calls),
            _ => process::exit(2),
        }
        println!();
        std::io::stdout().flush().expect("standard output");
        if rate > 0 {
            next += Duration::from_secs(1) / rate;
            thread::sleep(next.saturating_duration_since(Instant::now()));
        }
    }
    close(&name, calls);
}
