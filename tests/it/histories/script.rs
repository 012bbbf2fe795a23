//! A history that is written down and not drawn: night by night it goes through every case that dice seldom reach.

use super::action::{Action, List};
use crate::naive::calendar::Day;
use crate::naive::universe::{Form, Sentence, When};
use crate::naive::world::{Answer, Fact};

fn insert(path: &str, form: Form, subject: usize, object: usize, when: When) -> Action {
    Action::Insert { path: path.to_owned(), at: 0, sentence: Sentence { form, subject, object, when } }
}

fn answer(path: &str, sentence: Sentence, answer: Answer) -> Action {
    let asked: Fact = sentence.claim().unwrap().fact;
    Action::Decide { path: path.to_owned(), quote: sentence.text(), asked, answer }
}

/// The actions of each night.
pub(super) fn nights() -> Vec<Vec<Action>> {
    let day = Day::iso;
    let (k3, n1, n2, n3) = ("notes/K3_frame.txt", "notes/n1.txt", "notes/n2.txt", "notes/n3.txt");
    let made = Sentence { form: Form::Makes, subject: 3, object: 3, when: When::From(day("2025-01-01")) };
    let audit = Sentence { form: Form::Audited, subject: 3, object: 3, when: When::From(day("2023-01-01")) };
    vec![
        // A circle (44), a supersession without a day (46), what master data contradicts (59).
        vec![
            insert(n1, Form::Supersedes, 0, 1, When::From(day("2024-01-01"))),
            insert(n2, Form::Supersedes, 1, 0, When::From(day("2025-01-01"))),
            insert(n3, Form::Supersedes, 2, 0, When::Undated),
            insert(n1, Form::Stocks, 1, 0, When::Undated),
        ],
        // Two edges of one fact (3), a denial (48), an end that waits (49), a rumour (60), a review (71).
        vec![
            insert(n2, made.form, 3, 3, made.when),
            insert(n2, Form::Makes, 3, 3, When::Between(day("2023-01-01"), day("2023-06-15"))),
            insert(k3, Form::Ceased, 2, 3, When::Until(day("2025-03-15"))),
            insert(k3, Form::Ceased, 3, 3, When::Until(day("2025-03-15"))),
            insert(n3, Form::Listed, 3, 2, When::Undated),
            insert(n3, audit.form, 3, 3, audit.when),
        ],
        // Sentences move and documents too; a person approves, corrects days and an object.
        vec![
            Action::Shift { path: n2.to_owned(), from: 0, to: 1 },
            Action::Carry { from: n1.to_owned(), at: 0, to: k3.to_owned() },
            Action::Twice { path: n3.to_owned(), at: 0 },
            Action::Redate { path: n3.to_owned(), day: day("2024-06-01") },
            answer(n3, audit, Answer::Approve),
            answer(n2, made, Answer::Correct { from: Some(day("2025-06-01")), to: None, object: None }),
        ],
        vec![
            Action::Rename { from: n1.to_owned(), to: "notes/n77.txt".to_owned() },
            Action::Undo { number: 2 },
            answer(
                n2,
                made,
                Answer::Correct { from: None, to: None, object: Some("Component:C1".to_owned()) },
            ),
        ],
        // The object to which a person has corrected leaves, and comes back.
        vec![Action::ComponentGone(0), Action::Threshold(50), Action::AtMostOne(false)],
        vec![Action::ComponentBack(0), Action::Listed(90), Action::Named(false), Action::Review(false)],
        // What is missing is doubted, and then proven by a person (26, 30, 57).
        vec![Action::Break { path: n3.to_owned() }, Action::EmptyList(List::Source), Action::AtMostOne(true)],
        vec![Action::AcceptScope(n3.to_owned()), Action::AcceptFeed("source_list"), Action::Unmount],
        vec![Action::AcceptScope("notes".to_owned())],
        vec![Action::Mount, Action::Mend { path: n3.to_owned() }, Action::Undo { number: 1 }],
    ]
}
