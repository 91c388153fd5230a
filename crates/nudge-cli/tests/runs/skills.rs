//! Skills that the user, an agent or a model gives a run.

use crate::runs::kit::{RUN, Scene, ends, goes_on};

const SKILL: &str = "# Tax\n\nRound once, at the end.\n";

/// @run_skills @run_messages: a skill of the user is in the system message once the model asks for
/// it; that of an agent is data.
#[test]
fn a_skill_of_the_user_instructs() {
    for by_agent in [false, true] {
        let scene = Scene::new(vec![goes_on("<get path=\"skill://tax\"/>"), ends("Once.")]);
        scene.home.file("shop/skills/tax/index.md", SKILL);
        scene.home.file("shop/skills/tax/rates.md", "19 percent");
        let words = ["ask", "--json", "--run", RUN, "--skill", "skills/tax", "what is sold?"];
        let mut call = scene.home.nudge(words).cwd(&scene.dir);
        if by_agent {
            call = call.env("CLAUDECODE", "1");
        }
        call.run().ok();
        let requests = scene.model.requests();
        let [first, second] = &requests[..] else { panic!("{requests:?}") };
        assert!(first.user.contains("skill://tax") && !first.system.contains("Round once"), "{first:?}");
        let instructs = second.system.contains("Round once, at the end.");
        let is_data = second.user.contains("Round once, at the end.\n:::skill://tax");
        assert_eq!((instructs, is_data), (!by_agent, by_agent), "{second:?}");
        let rest = scene.run(&["entry", "get", "skill://tax/rates", "--run", RUN]).ok();
        assert!(rest.contains("19 percent"), "{rest}");
    }
}

/// @run_skills @run_messages: a skill that an agent added is the user's once the user adds it, and
/// stays so when the agent adds it again.
#[test]
fn a_skill_of_an_agent_becomes_the_users() {
    let reads = || goes_on("<get path=\"skill://tax\"/>");
    let scene = Scene::new(vec![ends("Tea."), reads(), ends("Once."), reads(), ends("Still once.")]);
    scene.home.file("shop/tax.md", SKILL);
    let words = ["ask", "--json", "--run", RUN, "--skill", "tax.md", "what is sold?"];
    let ask = || scene.home.nudge(words).cwd(&scene.dir);
    ask().env("CLAUDECODE", "1").run().ok();
    ask().run().ok();
    let requests = scene.model.requests();
    assert!(requests[2].system.contains("Round once, at the end."), "{:?}", requests[2]);
    ask().env("CLAUDECODE", "1").run().ok();
    let last = scene.model.requests().pop().expect("a request");
    assert!(last.system.contains("Round once, at the end."), "{last:?}");
}

/// @run_skills: a further prompt brings a further skill, also from outside of the project; one that
/// cannot be read asks nothing.
#[test]
fn a_skill_comes_with_a_prompt() {
    let scene = Scene::new(vec![ends("Tea."), goes_on("<get path=\"skill://vat\"/>"), ends("Once.")]);
    scene.ask("what is sold?").ok();
    scene.home.file("elsewhere/vat.md", SKILL);
    let vat = scene.home.path().join("elsewhere/vat.md");
    scene.ask_with(&["--skill", "nowhere.md"], "and how is it taxed?").exits(3);
    assert_eq!(scene.model.requests().len(), 1);
    scene.ask_with(&["--skill", vat.to_str().expect("a path")], "and how is it taxed?").ok();
    assert!(scene.model.requests()[2].system.contains("Round once, at the end."));
}

/// @run_skills @run_healing: a model that names a skill by its path reads the file, as data; that
/// is counted.
#[test]
fn a_model_names_a_skill() {
    let scene = Scene::new(vec![goes_on("<skill path=\"docs/tax.md\"/>"), ends("Once.")]);
    scene.home.file("shop/docs/tax.md", SKILL);
    scene.ask("what is sold?").ok();
    let second = &scene.model.requests()[1];
    assert!(second.user.contains("Round once, at the end.\n:::docs/tax.md"), "{second:?}");
    assert!(!second.system.contains("Round once"), "{second:?}");
    assert_eq!(scene.view(RUN)["telemetry"]["healed"], 1);
}
