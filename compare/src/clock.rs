//! Time: of the thread, and by the clock.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// One measurement of a call, in nanoseconds.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    /// CPU time of the thread.
    pub cpu: f64,
    /// Time by the clock.
    pub wall: f64,
}

fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// Calls something for about so long.
pub fn sample(call: &mut dyn FnMut() -> usize, budget: Duration) -> Sample {
    let start = Instant::now();
    std::hint::black_box(call());
    let once = start.elapsed().max(Duration::from_nanos(20));
    // the first call after others finds cold caches: a second one says how many fit
    let start = Instant::now();
    std::hint::black_box(call());
    let once = once.min(start.elapsed().max(Duration::from_nanos(20)));
    let count = (budget.as_nanos() / once.as_nanos()).clamp(1, 10_000_000) as u32;
    let (cpu, wall) = (thread_time(), Instant::now());
    for _ in 0..count {
        std::hint::black_box(call());
    }
    let (cpu, wall) = (thread_time() - cpu, wall.elapsed());
    Sample { cpu: cpu.as_nanos() as f64 / f64::from(count), wall: wall.as_nanos() as f64 / f64::from(count) }
}

/// The middle one.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
