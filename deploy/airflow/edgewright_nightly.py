"""One run of edgewright each night, for Airflow 3, and for 2.4 and later.

A run that fails unexpectedly (code 1), or finds another one at work (5), is tried again. A run that is invalid (2) or held
(3) fails at once, because trying again does not help. Code 4 means that some inputs failed and the rest is published: the
task succeeds, and the alerts of the job say which.
"""

from __future__ import annotations

import subprocess
from datetime import datetime, timedelta

try:
    from airflow.sdk import dag, task
    from airflow.sdk.exceptions import AirflowException, AirflowFailException
except ImportError:  # Airflow 2
    from airflow.decorators import dag, task
    from airflow.exceptions import AirflowException, AirflowFailException

WORKSPACE = "/var/lib/edgewright"


def run_edgewright(workspace: str = WORKSPACE, program: str = "edgewright") -> str:
    """Runs the jobs of a workspace once; gives the report's JSON, which goes into XCom."""
    done = subprocess.run(
        [program, "-C", workspace, "run", "--output", "json"],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode in (0, 4):
        return done.stdout.strip().splitlines()[-1]
    if done.returncode in (2, 3):
        raise AirflowFailException(f"edgewright ended with code {done.returncode}: see `edgewright drift` and its log")
    raise AirflowException(f"edgewright ended with code {done.returncode}")


@dag(
    dag_id="edgewright_nightly",
    schedule="30 2 * * *",
    start_date=datetime(2026, 1, 1),
    catchup=False,
    max_active_runs=1,
)
def edgewright_nightly():
    """Brings the knowledge graph up to date."""
    task(retries=3, retry_delay=timedelta(minutes=10))(run_edgewright)()


edgewright_nightly()
