//! Finding an entity by what a person calls it: a key, a name or an alias.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::{Error, Graph};
use crate::model::entity::EntityClaim;
use crate::model::id::EntityKey;
use crate::model::token::{Token, TokenKind, fold, tokens};
use crate::store::{Kind, first_word};

/// How many candidates are listed.
const CANDIDATES: usize = 8;

/// An entity that a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The entity.
    pub entity: EntityKey,
    /// The key that was asked for, if it was merged into the entity.
    pub via: Option<EntityKey>,
}

/// Someone whom a text may name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Candidate {
    /// The key, as `Type:key`.
    pub key: String,
    /// The name by which it goes.
    pub name: String,
}

/// What an entity is and was called.
#[derive(Default)]
struct Called {
    names: Vec<String>,
    former: Vec<String>,
}

/// The entity that a text names: `Type:key`, else a key, else a name or alias without regard to case, else a
/// name that it had before. The legal form of a company may be left out, as in a text.
/// Where nothing or several match, the error lists who may be meant.
pub fn find(graph: &Graph<'_>, text: &str) -> Result<Found, Error> {
    if graph.is_empty() {
        return Err(Error::asked(
            format!("nobody is called `{text}`: the graph is empty"),
            "`edgewright run` fills it",
        ));
    }
    if let Ok(key) = text.parse::<EntityKey>()
        && is_there(graph, &key)?
    {
        return followed(graph, key);
    }
    if let Some(found) = by_key(graph, text)? {
        return found;
    }
    let wanted = fold(text.trim());
    // Whom this text names exactly is looked up; then also who is called by its first word, of which the form
    // of a company may be left out. Only to say whose name is near, all names are read.
    let exactly = graph.view().called(&first_word(&wanted), Some(&wanted))?;
    if let Some(exactly) = exactly {
        let mut known = BTreeMap::new();
        exactly.into_iter().try_for_each(|claim| note(graph, &mut known, claim))?;
        if let Some(found) = among(graph, text, &wanted, &known, true)? {
            return found;
        }
        let loosely = graph.view().called(&first_word(text), None)?.unwrap_or_default();
        loosely.into_iter().try_for_each(|claim| note(graph, &mut known, claim))?;
        if let Some(found) = among(graph, text, &wanted, &known, false)? {
            return found;
        }
    }
    let known = visible_claims(graph)?;
    match among(graph, text, &wanted, &known, false)? {
        Some(found) => found,
        None => Err(unknown(graph, text, &known)?),
    }
}

/// Those who have exactly this name, with the name by which they go. Reads no other entity; nobody, where the
/// store does not note names.
pub(super) fn named(graph: &Graph<'_>, text: &str) -> Result<Vec<Candidate>, Error> {
    let wanted = fold(text.trim());
    let mut known = BTreeMap::new();
    let claims = graph.view().called(&first_word(&wanted), Some(&wanted))?.unwrap_or_default();
    claims.into_iter().try_for_each(|claim| note(graph, &mut known, claim))?;
    known.retain(|_, called: &mut Called| called.names.iter().any(|name| fold(name.trim()) == wanted));
    let mut found = BTreeMap::new();
    for key in known.into_keys() {
        let entity = followed(graph, key)?.entity;
        found.insert(entity.to_string(), graph.name(&entity)?);
    }
    Ok(found.into_iter().map(|(key, name)| Candidate { key, name }).collect())
}

/// Whom a text means where only some types can be meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meant {
    /// This one.
    One(EntityKey),
    /// Any of these, sorted.
    Several(Vec<EntityKey>),
    /// Nobody is called so.
    Nobody,
}

/// Whom a text means, of entities of these types, by the rules of [`find`]; for many texts, so nobody looks for names
/// that are near.
pub fn meant(graph: &Graph<'_>, text: &str, types: &BTreeSet<String>) -> Result<Meant, Error> {
    let of_type = |key: &EntityKey| types.contains(key.entity_type());
    if let Ok(key) = text.parse::<EntityKey>()
        && of_type(&key)
        && is_there(graph, &key)?
    {
        return one_of(graph, vec![key]);
    }
    let keys = with_key(graph, text, types.iter())?;
    if !keys.is_empty() {
        return one_of(graph, keys);
    }
    let wanted = fold(text.trim());
    let mut known = BTreeMap::new();
    match graph.view().called(&first_word(&wanted), Some(&wanted))? {
        Some(exactly) => {
            exactly.into_iter().try_for_each(|claim| note(graph, &mut known, claim))?;
            // Whoever is or was called exactly so is among these; more may be called so without the form of a company.
            let mut companies = types.iter().filter(|name| graph.catalog().company_types.contains(*name));
            if !known.keys().any(of_type) && companies.next().is_some() {
                let loosely = graph.view().called(&first_word(text), None)?.unwrap_or_default();
                loosely.into_iter().try_for_each(|claim| note(graph, &mut known, claim))?;
            }
        }
        None => known = visible_claims(graph)?,
    }
    known.retain(|key, _| of_type(key));
    one_of(graph, called_so(graph, text, &wanted, &known, false).into_iter().cloned().collect())
}

/// What some keys come to once merges are followed.
fn one_of(graph: &Graph<'_>, keys: Vec<EntityKey>) -> Result<Meant, Error> {
    let mut all = BTreeSet::new();
    for key in keys {
        all.insert(followed(graph, key)?.entity);
    }
    let mut all: Vec<EntityKey> = all.into_iter().collect();
    Ok(if all.len() > 1 { Meant::Several(all) } else { all.pop().map_or(Meant::Nobody, Meant::One) })
}

/// Whom a text names among some entities, or that it names several; `exactly` by its key or a name that it has.
fn among(
    graph: &Graph<'_>,
    text: &str,
    wanted: &str,
    known: &BTreeMap<EntityKey, Called>,
    exactly: bool,
) -> Result<Option<Result<Found, Error>>, Error> {
    let mut found = called_so(graph, text, wanted, known, exactly);
    match found.len() {
        0 => Ok(None),
        1 => Ok(Some(followed(graph, found.remove(0).clone()))),
        _ => Ok(Some(Err(ambiguous(graph, text, &found)?))),
    }
}

/// Those of some entities that a text names: by key, else by a name, a company's name without its form, or a name
/// that they had.
fn called_so<'k>(
    graph: &Graph<'_>,
    text: &str,
    wanted: &str,
    known: &'k BTreeMap<EntityKey, Called>,
    exactly: bool,
) -> Vec<&'k EntityKey> {
    let is_wanted = |name: &String| fold(name) == *wanted;
    // A key of a type that the ontology no longer has was not looked up above.
    let by_key = |key: &EntityKey, _: &Called| key.key() == text;
    let by_name =
        |key: &EntityKey, called: &Called| fold(key.key()) == wanted || called.names.iter().any(is_wanted);
    let asked = split_form(graph, text);
    let is_company = |key: &EntityKey| graph.catalog().company_types.contains(key.entity_type());
    let is_asked = |name: &String| agree(&asked, &split_form(graph, name));
    let by_form = |key: &EntityKey, called: &Called| is_company(key) && called.names.iter().any(is_asked);
    let by_former = |key: &EntityKey, called: &Called| {
        called.former.iter().any(|name| is_wanted(name) || (is_company(key) && is_asked(name)))
    };
    let all = [&by_key as &dyn Fn(&EntityKey, &Called) -> bool, &by_name, &by_form, &by_former];
    for matches in all.into_iter().take(if exactly { 2 } else { 4 }) {
        let found: Vec<&EntityKey> =
            known.iter().filter(|(key, called)| matches(key, called)).map(|(key, _)| key).collect();
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// A company's name as its words without marks, folded, and its legal form, empty if it has none.
fn split_form(graph: &Graph<'_>, name: &str) -> (Vec<String>, String) {
    let is_word = |token: &Token| token.kind != TokenKind::Mark;
    let mut words: Vec<String> =
        tokens(name).into_iter().filter(is_word).map(|token| token.folded.into()).collect();
    let mut form = String::new();
    // "Co., Ltd." is two forms; the first word is never one, or nothing would be left of the name.
    while let Some(at) =
        (1..words.len()).find(|at| graph.catalog().legal_forms.contains(&words[*at..].concat()))
    {
        form = words.split_off(at).concat() + &form;
    }
    (words, form)
}

/// A legal form is optional and not exchangeable: "TechChip" is "TechChip Inc", which is not "TechChip GmbH".
fn agree(one: &(Vec<String>, String), other: &(Vec<String>, String)) -> bool {
    one.0 == other.0 && (one.1 == other.1 || one.1.is_empty() || other.1.is_empty())
}

/// The entity with this key among the types of the ontology, or that there are several: looked up, so that
/// a question by key reads no other entity.
fn by_key(graph: &Graph<'_>, text: &str) -> Result<Option<Result<Found, Error>>, Error> {
    let found = with_key(graph, text, graph.catalog().entity_access.keys())?;
    Ok(match found.as_slice() {
        [] => None,
        [one] => Some(followed(graph, one.clone())),
        _ => Some(Err(ambiguous(graph, text, &found.iter().collect::<Vec<_>>())?)),
    })
}

/// The entities with this key among some types.
fn with_key<'t>(
    graph: &Graph<'_>,
    text: &str,
    types: impl Iterator<Item = &'t String>,
) -> Result<Vec<EntityKey>, Error> {
    let mut found = Vec::new();
    for name in types {
        if let Some(key) = EntityKey::new(name, text)
            && is_there(graph, &key)?
        {
            found.push(key);
        }
    }
    Ok(found)
}

/// True if the reader sees an entity with this key: claimed by a source, or an endpoint of an edge.
fn is_there(graph: &Graph<'_>, key: &EntityKey) -> Result<bool, Error> {
    if !graph.sees_entity(key)? {
        return Ok(false);
    }
    Ok(graph.view().any(Kind::Entity, "entity", &key.to_string())? || !graph.facts_of(key)?.is_empty())
}

/// Every visible entity with its names. Linear in the entities.
fn visible_claims(graph: &Graph<'_>) -> Result<BTreeMap<EntityKey, Called>, Error> {
    let mut known = BTreeMap::new();
    graph.view().each(|claim: EntityClaim| note(graph, &mut known, claim))?;
    Ok(known)
}

/// Notes what a claim says of an entity, if the reader sees both.
fn note(graph: &Graph<'_>, known: &mut BTreeMap<EntityKey, Called>, claim: EntityClaim) -> Result<(), Error> {
    if graph.sees_entity(&claim.entity)? && graph.sees_origin(&claim.origin)? {
        let called = known.entry(claim.entity).or_default();
        called.names.extend(claim.names);
        called.former.extend(claim.former.into_keys());
    }
    Ok(())
}

/// Follows a merged key to the one that stands for it now.
fn followed(graph: &Graph<'_>, asked: EntityKey) -> Result<Found, Error> {
    let mut entity = asked.clone();
    // A chain of merges is short; a circle is a mistake of the master data and must not hang us.
    for _ in 0..32 {
        let next = graph.claims(&entity)?.into_iter().find_map(|claim| claim.merged_into);
        match next {
            Some(next) if next != entity && graph.sees_entity(&next)? => entity = next,
            _ => break,
        }
    }
    let via = (entity != asked).then_some(asked);
    Ok(Found { entity, via })
}

fn ambiguous(graph: &Graph<'_>, text: &str, found: &[&EntityKey]) -> Result<Error, Error> {
    let mut lines = Vec::new();
    for key in found.iter().take(CANDIDATES) {
        lines.push(candidate_line(graph, key)?);
    }
    Ok(Error::asked(
        format!("`{text}` may be any of {}", found.len()),
        format!("say which one by its key:\n    {}", lines.join("\n    ")),
    ))
}

/// Nobody is called so: those whose names begin so, then those whose names look alike.
fn unknown(graph: &Graph<'_>, text: &str, known: &BTreeMap<EntityKey, Called>) -> Result<Error, Error> {
    let wanted = fold(text.trim());
    let mut scored: Vec<(f64, &EntityKey)> = Vec::new();
    for (key, called) in known {
        let best = (called.names.iter().chain(&called.former))
            .map(String::as_str)
            .chain([key.key()])
            .map(|name| likeness(&wanted, &fold(name)))
            .fold(0.0, f64::max);
        if best >= 0.8 {
            scored.push((best, key));
        }
    }
    scored.sort_by(|(a, x), (b, y)| b.total_cmp(a).then_with(|| x.cmp(y)));
    let mut lines = Vec::new();
    for (_, key) in scored.iter().take(CANDIDATES) {
        lines.push(candidate_line(graph, key)?);
    }
    let hint = if lines.is_empty() {
        "`edgewright status` counts what there is, `edgewright gaps` lists names that nobody knows".to_owned()
    } else {
        format!("near it are:\n    {}", lines.join("\n    "))
    };
    Ok(Error::asked(format!("nobody is called `{text}`"), hint))
}

/// 1 or more for a common beginning, else how alike two texts look.
fn likeness(wanted: &str, name: &str) -> f64 {
    if !wanted.is_empty() && name.starts_with(wanted) { 2.0 } else { strsim::jaro_winkler(wanted, name) }
}

fn candidate_line(graph: &Graph<'_>, key: &EntityKey) -> Result<String, Error> {
    Ok(format!("{key}  {}", graph.name(key)?))
}
