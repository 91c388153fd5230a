//! Logistic regression: the chance of a yes from some figures.

/// How many steps of Newton's method are made. It has long settled by then.
const STEPS: usize = 40;

/// One example.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) values: Vec<f64>,
    pub(super) is_yes: bool,
}

/// Weights of figures, and what is added to their sum.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Model {
    pub(super) weights: Vec<f64>,
    pub(super) bias: f64,
}

impl Model {
    /// Fits the rows. `ridge` holds weights back that few rows support; it is relative to figures
    /// of variance 1.
    pub(super) fn fit(rows: &[Row], ridge: f64) -> Self {
        let width = rows.first().map_or(0, |row| row.values.len());
        let scales: Vec<(f64, f64)> = (0..width).map(|column| scale(rows, column)).collect();
        let scaled: Vec<Vec<f64>> = rows.iter().map(|row| standard(&row.values, &scales)).collect();
        // The last of them is the bias, which is not held back.
        let mut found = vec![0.0; width + 1];
        for _ in 0..STEPS {
            let mut gradient = vec![0.0; width + 1];
            let mut curvature = vec![vec![0.0; width + 1]; width + 1];
            for (row, values) in rows.iter().zip(&scaled) {
                let chance = logistic(dot(values, &found));
                let error = f64::from(u8::from(row.is_yes)) - chance;
                let bend = (chance * (1.0 - chance)).max(1e-9);
                for (i, value) in values.iter().enumerate() {
                    gradient[i] += error * value;
                    for (j, other) in values.iter().enumerate() {
                        curvature[i][j] += bend * value * other;
                    }
                }
            }
            for i in 0..width {
                gradient[i] -= ridge * found[i];
                curvature[i][i] += ridge;
            }
            curvature[width][width] += 1e-9;
            let step = solve(curvature, gradient);
            found.iter_mut().zip(step).for_each(|(value, step)| *value += step);
        }
        let weights: Vec<f64> =
            found.iter().zip(&scales).map(|(weight, (_, spread))| weight / spread).collect();
        let moved: f64 = weights.iter().zip(&scales).map(|(weight, (mean, _))| weight * mean).sum();
        Self { weights, bias: found[width] - moved }
    }

    /// The chance of a yes.
    pub(super) fn chance(&self, values: &[f64]) -> f64 {
        logistic(
            self.bias + values.iter().zip(&self.weights).map(|(value, weight)| value * weight).sum::<f64>(),
        )
    }
}

fn logistic(sum: f64) -> f64 {
    1.0 / (1.0 + (-sum).exp())
}

fn dot(values: &[f64], weights: &[f64]) -> f64 {
    values.iter().zip(weights).map(|(value, weight)| value * weight).sum()
}

/// The mean of a figure, and its spread; 1 for one that never changes.
fn scale(rows: &[Row], column: usize) -> (f64, f64) {
    let count = rows.len().max(1) as f64;
    let mean = rows.iter().map(|row| row.values[column]).sum::<f64>() / count;
    let variance = rows.iter().map(|row| (row.values[column] - mean).powi(2)).sum::<f64>() / count;
    (mean, if variance > 1e-12 { variance.sqrt() } else { 1.0 })
}

/// The figures with mean 0 and spread 1, and a 1 for the bias.
fn standard(values: &[f64], scales: &[(f64, f64)]) -> Vec<f64> {
    let scaled = values.iter().zip(scales).map(|(value, (mean, spread))| (value - mean) / spread);
    scaled.chain(std::iter::once(1.0)).collect()
}

/// Solves a system of equations whose matrix is symmetric and positive: Gaussian elimination.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for pivot in 0..size {
        let best = (pivot..size).max_by(|a, b| matrix[*a][pivot].abs().total_cmp(&matrix[*b][pivot].abs()));
        let best = best.unwrap_or(pivot);
        matrix.swap(pivot, best);
        right.swap(pivot, best);
        let (above, below) = matrix.split_at_mut(pivot + 1);
        for (row, values) in (pivot + 1..).zip(below) {
            let share = values[pivot] / above[pivot][pivot];
            for (value, other) in values.iter_mut().zip(&above[pivot]).skip(pivot) {
                *value -= share * other;
            }
            right[row] -= share * right[pivot];
        }
    }
    let mut found = vec![0.0; size];
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|column| matrix[row][column] * found[column]).sum();
        found[row] = (right[row] - known) / matrix[row][row];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_finds_what_the_answer_depends_on() {
        let row = |one: f64, other: f64| Row { values: vec![one, other], is_yes: one > 3.0 };
        let rows: Vec<Row> =
            (0..60).map(|number| row(f64::from(number % 7), f64::from(number * 5 % 11))).collect();
        let model = Model::fit(&rows, 1.0);
        assert!(model.chance(&[6.0, 5.0]) > 0.9 && model.chance(&[0.0, 5.0]) < 0.1, "{model:?}");
        let swing = (model.chance(&[3.5, 0.0]) - model.chance(&[3.5, 10.0])).abs();
        assert!(swing < 0.2, "what does not matter hardly counts: {model:?}");
    }

    #[test]
    fn the_chance_is_that_of_the_rows() {
        let rows: Vec<Row> = (0..100).map(|number| Row { values: vec![1.0], is_yes: number < 30 }).collect();
        assert!((Model::fit(&rows, 1.0).chance(&[1.0]) - 0.3).abs() < 1e-6);
    }
}
