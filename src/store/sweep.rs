//! Sweeping: what an unpublished generation left behind goes, in one transaction.

use super::record::Kind;
use super::{Error, Store};

impl Store {
    /// Removes every trace of generations from `first` on that were never published.
    pub(super) fn sweep(&self, first: u64) -> Result<(), Error> {
        if crate::model::sabotage::is_off("sweep") {
            return Ok(());
        }
        let failed = self.failed("sweep what a stopped run left");
        let mut sql = String::new();
        for kind in Kind::ALL {
            let table = kind.name();
            sql.push_str(&format!(
                "DELETE FROM {table} WHERE opened >= {first};
                 UPDATE {table} SET closed = NULL WHERE closed >= {first};\n"
            ));
        }
        sql.push_str("DELETE FROM checkpoint_staged; DELETE FROM touched; UPDATE read_for SET staged = NULL, staged_at = NULL WHERE staged IS NOT NULL;");
        // A run that is held ends with what it wrote; that a candidate waited to be judged stays known.
        sql.push_str(
            "UPDATE held SET body = json_set(body, '$.swept', json('true')) WHERE json_extract(body, '$.candidate');
             DELETE FROM held WHERE NOT coalesce(json_extract(body, '$.candidate'), 0);",
        );
        // A savepoint works inside a dry run's transaction as well as alone.
        self.connection.execute_batch(&format!("SAVEPOINT sweep; {sql} RELEASE sweep;")).map_err(failed)
    }
}
