//! Switches that break one behavior at a time, so that the tests can show that they would notice.
//!
//! Without the `sabotage` feature every switch is off and the compiler removes the branch. The program's
//! rim sets the switch once, before anything runs.

#[cfg(feature = "sabotage")]
static BROKEN: std::sync::OnceLock<String> = std::sync::OnceLock::new();

/// The behaviors that can be switched off.
pub const SWITCHES: [&str; 27] = [
    "ending",
    "stated-starts",
    "union",
    "known-at",
    "access",
    "context-fingerprint",
    "decision-input",
    "sweep",
    "absence-proof",
    "block-sum",
    "conflict",
    "cut-said",
    "index-follow",
    "index-words",
    "text-state",
    "edit-survives",
    "hold",
    "undone-mark",
    "backfill",
    "purged-bytes",
    "purged-changelog",
    "purged-quotes",
    "silent-change",
    "audit",
    "identities",
    "alert-resolved",
    "alert-spool",
];

/// Breaks one behavior for the rest of the process. The first call counts.
#[cfg(feature = "sabotage")]
pub fn switch_off(behavior: &str) {
    BROKEN.get_or_init(|| behavior.to_owned());
}

/// True if the behavior is broken on purpose.
#[inline]
#[must_use]
pub fn is_off(behavior: &str) -> bool {
    debug_assert!(SWITCHES.contains(&behavior), "`{behavior}` is a listed switch");
    #[cfg(feature = "sabotage")]
    {
        BROKEN.get().is_some_and(|broken| broken == behavior)
    }
    #[cfg(not(feature = "sabotage"))]
    {
        false
    }
}
