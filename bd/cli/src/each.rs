//! Runs an operation on several ids in one transaction per store.
//!
//! If an id fails, nothing is changed, and the error of each failed id goes to standard
//! error.

use std::io::IsTerminal;

use crate::context::Context;
use bd::change::ChangeError;
use bd::store::{Store, StoreError, Tx, route};
use kit::failure::UsageError;

/// The given ids, or the last touched bead if there are none. Scripts and agents, and everyone in a
/// town, must give an id: an empty variable would change a bead that is not meant.
pub(crate) fn ids_or_last(ctx: &Context, ids: Vec<String>) -> Result<Vec<String>, UsageError> {
    if !ids.is_empty() {
        return Ok(ids);
    }
    if !std::io::stdin().is_terminal() {
        kit::bail_usage!("no issue ID provided; it can be left out only on a terminal");
    }
    if route::find_town_root(ctx.env.cwd()).is_some() {
        kit::bail_usage!("no issue ID provided; in a town it cannot be left out");
    }
    ctx.last_touched().map(|id| vec![id]).ok_or_else(|| {
        UsageError("no issue ID provided, and you changed no bead here in this session".into())
    })
}

/// Checks that every id resolves before anything is changed. Fails with the first id that does not,
/// after printing the others.
pub(crate) fn resolve_all(ctx: &Context, ids: &[String]) -> anyhow::Result<()> {
    let mut problems = Vec::new();
    for (store, ids) in group_by_store(ctx, ids)? {
        let snapshot = store.snapshot()?;
        for id in ids {
            if let Err(error) = snapshot.resolve(&id) {
                problems.push(anyhow::Error::from(error).context(format!("resolving {id}")));
            }
        }
    }
    finish_each(ctx, Vec::<()>::new(), problems).map(drop)
}

/// Runs `work` on each resolved id, in the store that holds it. If an id fails, nothing is changed.
pub(crate) fn change_each<T>(
    ctx: &Context,
    verb: &str,
    ids: &[String],
    mut work: impl FnMut(&mut Tx<'_>, &str) -> Result<T, ChangeError>,
) -> anyhow::Result<Vec<T>> {
    let groups = group_by_store(ctx, ids)?;
    if groups.len() > 1 {
        // Tried first in all stores, because each store has a transaction of its own.
        for (store, ids) in &groups {
            let tried = change_in_store(ctx, store, verb, ids, &mut work, true);
            match tried {
                Err(error) if error.is::<Tried>() => {}
                other => drop(other?),
            }
        }
    }
    let mut done = Vec::new();
    for (store, ids) in &groups {
        done.extend(change_in_store(ctx, store, verb, ids, &mut work, false)?);
    }
    Ok(done)
}

/// Ends a transaction that was only tried.
#[derive(Debug, thiserror::Error)]
#[error("nothing was changed")]
struct Tried;

fn change_in_store<T>(
    ctx: &Context,
    store: &Store,
    verb: &str,
    ids: &[String],
    work: &mut impl FnMut(&mut Tx<'_>, &str) -> Result<T, ChangeError>,
    is_trial: bool,
) -> anyhow::Result<Vec<T>> {
    let mut problems = Vec::new();
    let result = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let mut done = Vec::new();
        for given in ids {
            let id = match tx.resolve(given) {
                Ok(bead) => bead.id.clone(),
                Err(error) => {
                    problems.push(anyhow::Error::from(error).context(format!("resolving {given}")));
                    continue;
                }
            };
            match tx.attempt(|tx| work(tx, &id)) {
                Ok(value) => done.push(value),
                Err(error) => {
                    let of_store = is_store_failure(&error);
                    let error = anyhow::Error::from(error).context(format!("{verb} {id}"));
                    if of_store {
                        return Err(error);
                    }
                    problems.push(error);
                }
            }
        }
        if !problems.is_empty() {
            return Err(problems.remove(0));
        }
        if is_trial {
            return Err(Tried.into());
        }
        Ok(done)
    });
    print_problems(ctx, &problems);
    result
}

/// Returns true if the error comes from the disk, the lock or the file and not from the bead.
fn is_store_failure(error: &ChangeError) -> bool {
    let ChangeError::Store(error) = error else {
        return false;
    };
    !matches!(error, StoreError::Invalid(_) | StoreError::NotAWisp(_))
}

/// Prints the problems, and fails if nothing was done.
pub(crate) fn finish_each<T>(
    ctx: &Context,
    done: Vec<T>,
    mut problems: Vec<anyhow::Error>,
) -> anyhow::Result<Vec<T>> {
    if done.is_empty() && !problems.is_empty() {
        let first = problems.remove(0);
        print_problems(ctx, &problems);
        return Err(first);
    }
    print_problems(ctx, &problems);
    Ok(done)
}

fn print_problems(ctx: &Context, problems: &[anyhow::Error]) {
    for problem in problems {
        ctx.ui.problem(&format!(
            "Error: {}",
            bd::error::describe_failure(problem).message
        ));
    }
}

/// Groups the ids by the store that holds them, in the given order.
pub(crate) fn group_by_store(
    ctx: &Context,
    ids: &[String],
) -> anyhow::Result<Vec<(bd::store::Store, Vec<String>)>> {
    let mut groups: Vec<(bd::store::Store, Vec<String>)> = Vec::new();
    for id in ids {
        let store = ctx.store_for_id(id)?;
        match groups
            .iter_mut()
            .find(|(group_store, _)| group_store.dir() == store.dir())
        {
            Some((_, group)) => group.push(id.clone()),
            None => groups.push((store, vec![id.clone()])),
        }
    }
    Ok(groups)
}
