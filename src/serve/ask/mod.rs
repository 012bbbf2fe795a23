//! Questions over the graph of one day: who is near whom, by which path, and what hangs on whom.
//!
//! Every question is written once, against a [`Ground`]: either a [`Snapshot`] that holds the graph of one
//! lens in memory, for questions about all of it, or [`OnDemand`], which reads the store around the nodes that
//! a walk comes to, for questions about a place in it. Both give the same steps in the same order, so both
//! give the same answers.
//!
//! A question goes over the edges that the reader sees and that hold on the lens's day; what waits in
//! quarantine is not in it. Nothing here knows a type by name: types, properties, weights and decay come
//! from whoever asks. An answer names its edges by number, its paths by these numbers, and says where a
//! bound cut it.

mod alternatives;
mod bounds;
mod compare;
mod complement;
mod count;
mod edges;
mod ground;
mod measure;
mod nodes;
mod on_demand;
mod path;
mod reach;
mod risk;
mod snapshot;
mod tell;
mod trail;
mod walk;
mod without;
mod words;

pub use alternatives::{AlternativesView, Instead, Shared, alternatives};
pub use bounds::{Bounds, Cut, CutView};
pub use compare::{CompareView, TypeRow, compare};
pub use complement::{ComplementView, complement};
pub use count::{CountRow, CountView, Having, count};
pub use edges::{EdgesView, Window, edges};
pub use ground::{Ground, Joint, Kind, Link, Node, Step, Table};
pub use measure::{
    ComponentView, ComponentsView, MeasureRow, MeasureView, betweenness, components, page_rank,
};
pub use nodes::{Degree, NodeCard, NodeRow, NodesView, node, nodes};
pub use on_demand::OnDemand;
pub use path::{PathStep, PathView, Route, path, route};
pub use reach::{ReachRow, ReachView, reach};
pub use risk::{Arrival, Counting, RiskModel, RiskView, ScoreRow, risk};
pub use snapshot::Snapshot;
pub use tell::{AskEdge, Head, NodeView, Proof, Proofs, Teller};
pub use trail::{Pass, Trail, Way};
pub use walk::{SubgraphView, Walk, subgraph, walk};
pub use without::{LossRow, WithoutView, without};
pub use words::{Chosen, Condition, Test, choose, edge_passes, entity_type, no_entity_type};
