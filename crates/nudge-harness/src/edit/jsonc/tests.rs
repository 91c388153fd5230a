//! Tests edits of whole texts, and that they can be undone.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn with(text: &str, edit: impl FnOnce(&mut JsonText) -> Result<(), EditError>) -> String {
    let mut json = JsonText::read(Some(text)).expect("the text is JSON");
    edit(&mut json).expect("the edit leaves JSON");
    json.into_text()
}

#[test]
fn a_member_is_added_in_the_manner_of_its_file() {
    let check = |before: &str, after: &str| {
        let added = with(before, |json| json.set(&[], "x", &json!({"y": [1]})));
        assert_eq!(added, after);
        assert_eq!(with(&added, |json| json.remove_key(&[], "x")), before);
    };
    check("{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"x\": {\n    \"y\": [\n      1\n    ]\n  }\n}\n");
    check("{\n\t\"a\": {}\n}", "{\n\t\"a\": {},\n\t\"x\": {\n\t\t\"y\": [\n\t\t\t1\n\t\t]\n\t}\n}");
    check(
        "{\r\n    \"a\": 1\r\n}",
        "{\r\n    \"a\": 1,\r\n    \"x\": {\r\n        \"y\": [\r\n            1\r\n        ]\r\n    }\r\n}",
    );
    check("{\"a\":1}", "{\"a\":1,\"x\":{\"y\":[1]}}");
    check("{}\n", "{\n  \"x\": {\n    \"y\": [\n      1\n    ]\n  }\n}\n");
    check("\u{feff}{\"é\": \"}\\\"\"}", "\u{feff}{\"é\": \"}\\\"\",\"x\":{\"y\":[1]}}");
}

#[test]
fn a_value_is_replaced_where_it_stands() {
    let text = with("{\"a\":1, \"b\" :[2 , 3],\"a\":4}", |json| json.set(&[], "a", &json!("new")));
    assert_eq!(
        text, "{\"a\":1, \"b\" :[2 , 3],\"a\":\"new\"}",
        "the last of two equal keys is the one that counts"
    );
}

#[test]
fn things_are_taken_out_with_their_comma() {
    let list = "{\"a\": [1, {\"b\": 2}, 3]}";
    let without = |index| with(list, |json| json.remove(&["a"], index));
    assert_eq!(without(0), "{\"a\": [{\"b\": 2}, 3]}");
    assert_eq!(without(1), "{\"a\": [1, 3]}");
    assert_eq!(without(2), "{\"a\": [1, {\"b\": 2}]}");
    assert_eq!(with("{\"a\": [ 1 ]}", |json| json.remove(&["a"], 0)), "{\"a\": []}");
}

#[test]
fn what_is_no_object_is_refused() {
    let refused = |text| JsonText::read(Some(text)).map(JsonText::into_text).expect_err("refused");
    assert_eq!(refused("{\n  \"a\": 1,\n}"), EditError::NotJson { line: 3, column: 1 });
    assert_eq!(refused("// one\n{\"a\": 1,,}"), EditError::NotJson { line: 2, column: 9 });
    assert_eq!(refused("{\"a\": 'b'}"), EditError::NotJson { line: 1, column: 7 });
    assert_eq!(refused("{\"a\": \"\\ud83d\"}"), EditError::NotJson { line: 1, column: 14 });
    assert_eq!(refused("[]"), EditError::WrongKind { place: "the file".into(), expected: "an object" });
    assert_eq!(JsonText::read(Some(" \n")).map(JsonText::into_text), Ok("{}\n".to_owned()));
}

#[test]
fn comments_stay_with_what_they_are_about() {
    let check = |before: &str, after: &str| {
        let added = with(before, |json| json.set(&[], "x", &json!(1)));
        assert_eq!(added, after);
        assert_eq!(with(&added, |json| json.remove_key(&[], "x")), before);
    };
    check("// a file\n{}\n", "// a file\n{\n  \"x\": 1\n}\n");
    check("{\n  \"a\": 1 // one\n}", "{\n  \"a\": 1, // one\n  \"x\": 1\n}");
    check("{\n  // one\n  \"a\": 1\n  // end\n}", "{\n  // one\n  \"a\": 1,\n  \"x\": 1\n  // end\n}");
    check("{\"a\":1 /* one, */}", "{\"a\":1, /* one, */\"x\":1}");
    check("{\"a\":1 // one\n}", "{\"a\":1, // one\n\"x\":1\n}");
    check("{\r\n  \"a\": 1 // one\r\n}", "{\r\n  \"a\": 1, // one\r\n  \"x\": 1\r\n}");
    check("\u{feff}/* é */ {\"é\":1}", "\u{feff}/* é */ {\"é\":1,\"x\":1}");
    check("{\n  // none yet\n}", "{\n  // none yet\n  \"x\": 1\n}");
}

#[test]
fn no_comment_is_taken_out_and_none_swallows_what_follows() {
    let without = |list: &str, index| {
        let text = with(&format!("{{\"a\": {list}}}"), |json| json.remove(&["a"], index));
        text[6..text.len() - 1].to_owned()
    };
    assert_eq!(without("[1, // x\n2]", 1), "[1 // x\n]");
    assert_eq!(without("[1, // x\n2]", 0), "[// x\n2]");
    assert_eq!(without("[1 /* x */, 2]", 0), "[/* x */ 2]");
    assert_eq!(without("[1 // x\n]", 0), "[// x\n]");
    assert_eq!(without("[ // x\n  1 ]", 0), "[ // x\n   ]");
    assert_eq!(without("[1, 2 /* \",\" */, 3]", 1), "[1, /* \",\" */ 3]");
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-c\"\\\\{}\\[\\],:é ]{0,8}".prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-d\"\\\\:]{0,3}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect()))
        ]
    })
}

proptest! {
    /// For any file, on one line or many, with comments or without: adding and removing a member
    /// leaves no trace.
    #[test]
    fn adding_and_removing_is_exact(value in any_json(), spread: bool, noted: bool) {
        let object = json!({"first": value});
        let mut before = if spread { format!("{object:#}\n") } else { object.to_string() };
        if spread && noted {
            before = before.replace('\n', " // a note, \"quoted\" {\n  /* and another */\n");
        }
        let after = with(&before, |json| json.set(&[], "nudge", &json!([{"k": "v"}])));
        let read = JsonText::read(Some(&after)).expect("JSON").value;
        prop_assert_eq!(&read["first"], &object["first"]);
        prop_assert_eq!(&read["nudge"], &json!([{"k": "v"}]));
        prop_assert_eq!(with(&after, |json| json.remove_key(&[], "nudge")), before);
    }
}
