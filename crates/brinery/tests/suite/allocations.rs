//! An allocator that counts what a thread holds, so that tests can bound it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

fn changed(by: isize) {
    HELD.with(|held| {
        held.set(held.get() + by);
        PEAK.with(|peak| peak.set(peak.get().max(held.get())));
    });
    COUNT.with(|count| count.set(count.get() + 1));
}

#[allow(unsafe_code, reason = "an allocator is unsafe to implement; this one hands everything to the system's")]
// SAFETY: every call goes to `System` unchanged; the counters are plain thread-local cells that allocate nothing
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        changed(layout.size() as isize);
        // SAFETY: the caller's promise is passed on
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        changed(-(layout.size() as isize));
        // SAFETY: the caller's promise is passed on
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        changed(size as isize - layout.size() as isize);
        // SAFETY: the caller's promise is passed on
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The result of `work`, and the most bytes that this thread held during it beyond what it held before.
pub(crate) fn peak<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.with(Cell::get);
    PEAK.with(|peak| peak.set(before));
    let result = work();
    let peak = PEAK.with(Cell::get);
    (result, usize::try_from(peak - before).unwrap_or(0))
}

/// The result of `work`, and how often this thread asked the allocator for something during it.
pub(crate) fn count<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = COUNT.with(Cell::get);
    let result = work();
    (result, COUNT.with(Cell::get) - before)
}
