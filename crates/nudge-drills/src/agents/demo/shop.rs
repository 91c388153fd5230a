//! The project of the demo: a cart that omits a price, a module that must be set up first, and a
//! report.

use std::process::Command;

use super::super::agent::Workspace;

/// The test command, and the command that must come before it.
pub(super) const TESTS: &str = "python3 test_cart.py";
pub(super) const SET_UP: &str = "sh setup.sh";

/// A report with an option that does not exist, and with one that does.
pub(super) const NO_SUCH_OPTION: &str = "python3 report.py --month 11";
pub(super) const REPORT: &str = "python3 report.py --since 2026-11-01";

/// The two lines that are changed: one that was wrongly suspected, and the one with the bug.
pub(super) const SUSPECT: &str = "    return pricekit.cents(amount)";
pub(super) const TRIED: &str = "    return round(pricekit.cents(amount))";
pub(super) const WRONG: &str = "    amount = sum(prices[1:])";
pub(super) const RIGHT: &str = "    amount = sum(prices)";

const CHANGES: &str = "# Changes\n\n- nothing since 1.4\n";
const TEST: &str = "import cart\n\ntotal = cart.total([1, 2])\nassert total == 3, f\"the total is {total}, not 3\"\nprint(\"1 passed\")\n";
const SETUP: &str = "printf 'def cents(amount):\\n    return amount\\n' > pricekit.py\n";
const REPORTS: &str = "import argparse\n\nparser = argparse.ArgumentParser()\nparser.add_argument(\"--since\")\nprint(\"12 orders since\", parser.parse_args().since)\n";

/// Writes the files and commits them.
pub(super) fn open(workspace: &Workspace) -> anyhow::Result<()> {
    let cart = format!("import pricekit\n\n\ndef total(prices):\n{WRONG}\n{SUSPECT}\n");
    let files = [
        ("cart.py", cart.as_str()),
        ("test_cart.py", TEST),
        ("setup.sh", SETUP),
        ("report.py", REPORTS),
        ("CHANGELOG.md", CHANGES),
        (".gitignore", "__pycache__/\npricekit.py\n"),
    ];
    for (name, text) in files {
        std::fs::write(workspace.file(name), text)?;
    }
    std::fs::remove_file(workspace.file("greeting.txt"))?;
    for args in [&["branch", "-m", "main"][..], &["add", "-A"], &["commit", "-qm", "a cart"]] {
        let status = Command::new("git").args(args).current_dir(&workspace.project).status()?;
        anyhow::ensure!(status.success(), "git {args:?} failed: {status}");
    }
    Ok(())
}
