//! At once: what a person asks for takes effect now, and nothing is scanned for it.
//!
//! The same stages as a run, in the same order, without the sources and feeds: what was asked for is written
//! under a generation that nobody sees, the documents that hold a changed name are linked again, what was
//! touched is folded, drift is computed, and one transaction publishes. Killed before it, nothing has
//! happened; killed after it, the next run writes what is left to be written beside the store.
//!
//! The queue of requests stays as it is: what waits there may need a scan to be carried out.

use std::collections::BTreeMap;

use crate::config::Loaded;
use crate::model::id::DocumentId;
use crate::serve::{Catalog, Graph, waiting_one};
use crate::store::{Lock, Request, Store};

use super::documents::{Plan, Why, look_at_all};
use super::edits::{EditReport, Edited, lens_of};
use super::names::documents_with_changed_names;
use super::once::{
    Options, Progress, census, clock_behind, finish, fold_and_compare, new_report, publish, ready_index, stop,
};
use super::planning::touch_endpoints;
use super::register::Registers;
use super::session::Session;
use super::setup::Setup;
use super::{Error, Step, Workspace, hold, names, output, requests};

/// What the next run would change by these requests alone; nothing is written.
pub fn preview(
    workspace: &Workspace,
    loaded: Loaded,
    options: &Options,
    requests: &[Request],
) -> Result<EditReport, Error> {
    let options = Options { plan: true, ..options.clone() };
    let (report, _) = staged(
        workspace,
        loaded,
        &options,
        &|_, _, _| {},
        |_| Ok(()),
        |session, _| {
            requests::carry_out(session, requests)?;
            Ok(Ok(Vec::new()))
        },
    )?;
    Ok(report)
}

/// Withdraws a document, or takes a withdrawal back.
pub fn retract(
    workspace: &Workspace,
    loaded: Loaded,
    options: &Options,
    progress: Progress<'_>,
    request: &Request,
    does: &str,
) -> Result<EditReport, Error> {
    at_once(workspace, loaded, options, progress, |session, _| {
        requests::carry_out(session, std::slice::from_ref(request))?;
        Ok(Ok(vec![Edited { line: 0, number: None, does: does.to_owned(), waits: Vec::new() }]))
    })
}

/// Carries out what `act` does, and publishes what follows from it. What `act` refuses changes nothing.
pub(super) fn at_once(
    workspace: &Workspace,
    loaded: Loaded,
    options: &Options,
    progress: Progress<'_>,
    act: impl FnOnce(&mut Session<'_>, &Store) -> Result<Result<Vec<Edited>, EditReport>, Error>,
) -> Result<EditReport, Error> {
    Ok(locked(workspace, loaded, options, progress, act)?.0)
}

/// The same for an act that goes on after the publication, under the lock that comes back.
pub(super) fn locked(
    workspace: &Workspace,
    loaded: Loaded,
    options: &Options,
    progress: Progress<'_>,
    act: impl FnOnce(&mut Session<'_>, &Store) -> Result<Result<Vec<Edited>, EditReport>, Error>,
) -> Result<(EditReport, Lock), Error> {
    // What would be refused a plan does not promise either.
    let may = |store: &Store| hold::refuse_if_frozen(store).and_then(|()| hold::refuse_if_candidate(store));
    staged(workspace, loaded, options, progress, may, act)
}

/// The stages, if what is there `may` be changed.
///
/// A plan says what would change: everything happens in one transaction that is rolled back. The work
/// follows what is touched; beside it, the claims of entities are read once for merged keys.
fn staged(
    workspace: &Workspace,
    loaded: Loaded,
    options: &Options,
    progress: Progress<'_>,
    may: impl FnOnce(&Store) -> Result<(), Error>,
    act: impl FnOnce(&mut Session<'_>, &Store) -> Result<Result<Vec<Edited>, EditReport>, Error>,
) -> Result<(EditReport, Lock), Error> {
    let (setup, _) = Setup::new(loaded, &[])?;
    // A graph must not come to be by an edit. The last one to close the store takes its log away, so this one
    // stays until the next has opened it.
    let there = Store::open_read(&workspace.store())?;
    let lock = Lock::take(&workspace.lock())?;
    let (store, resumed) = output::open_with_its_changelog(workspace, options.plan)?;
    drop(there);
    if store.published()? == 0 {
        return Err(Error::Usage {
            message: "nothing has been published yet".to_owned(),
            hint: Some("`edgewright run` makes the graph that an edit can change".to_owned()),
        });
    }
    may(&store).map_err(|error| error.beside(&resumed))?;
    stop(options, progress, Step::Opened)?;
    super::acts::catch_up(workspace, &store, options)?;
    let (index, mended) = ready_index(workspace, &store, options)?;
    let replaced = hold::replaced(workspace, &store, options)?;
    let writer = store.begin(options.plan)?;
    let mut session = Session::new(&setup, &writer, options, progress, new_report(options, &store)?);
    session.diagnostics.extend(mended.into_iter().chain(replaced).chain(resumed.clone()));
    session.diagnostics.extend(clock_behind(workspace, &store, options)?);
    session.index = index;
    session.reached(Step::Swept, 0, 0)?;

    // What was asked for.
    session.merges = names::merges(&session)?;
    session.merges_before = session.merges.clone();
    let mut edited = match act(&mut session, &store).map_err(|error| error.beside(&resumed))? {
        Ok(edited) => edited,
        Err(refused) => {
            drop(session);
            writer.discard()?;
            return Ok((refused, lock));
        }
    };
    session.writer.batch()?;
    session.reached(Step::Requested, edited.len() as u64, edited.len() as u64)?;

    // Documents: those that hold a name which came or went, and texts that came along.
    let look = documents(&mut session)?;
    touch_endpoints(&session)?;
    session.reached(Step::Scanned, 0, look.len() as u64)?;
    if !look.is_empty() {
        let plan = Plan { look, gone: Default::default(), moves: BTreeMap::new() };
        let registers = Registers::of(&session);
        let lexicons = names::lexicons(&setup, &session.writer.view(), workspace)?;
        look_at_all(&mut session, plan, &lexicons.by_ontology, &registers)?;
    }
    session.reached(Step::DocumentsWritten, 0, 0)?;

    // Facts and drift. What an edit takes away a person has asked for: it is counted, and no guard is raised.
    let asked = census(&session)?.segments.into_keys().map(|segment| segment.source).collect();
    let drift = fold_and_compare(&mut session, &store, &asked)?;
    for one in &mut edited {
        super::edits::say_what_waits(&session, one)?;
    }
    let catalog = Catalog::new(setup.readers.values().map(|reader| &*reader.ontology), &setup.jobs);
    let waiting = {
        let graph = Graph::new(&store, lens_of(&session), &catalog)?;
        let found = session.newly_waiting.iter().map(|id| waiting_one(&graph, id));
        found.filter_map(Result::transpose).collect::<Result<Vec<_>, _>>()?
    };

    // Publication, and what follows from it.
    let report = finish(session)?;
    let report = publish(workspace, &store, writer, report, options, progress, &[], None)?;
    let report = EditReport { waiting, ..EditReport::of(report, edited) };
    if !options.plan {
        output::write_edit_reports(workspace, &report, &drift)?;
        stop(options, progress, Step::Reported)?;
    }
    Ok((report, lock))
}

/// The documents that must be looked at: those in which a changed name may occur, and the texts of edits.
fn documents(session: &mut Session<'_>) -> Result<BTreeMap<DocumentId, Why>, Error> {
    let mut look: BTreeMap<DocumentId, Why> =
        documents_with_changed_names(session)?.into_iter().map(|id| (id, Why::Edit(None))).collect();
    let texts = std::mem::take(&mut session.texts);
    look.extend(texts.into_iter().map(|(id, text)| (id, Why::Edit(Some(text)))));
    Ok(look)
}
